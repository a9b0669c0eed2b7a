/**
 * Videos: tasks that outlive their request and their process. Hides the submission's crash windows, the queue in the
 * task's row, the debounce that all replicas share, and the money, which moves in the transaction that moves the task.
 * Promises one upstream task for one accepted request, one settlement for one ended task, and that a video that was not
 * delivered is not charged.
 */

export { eraseTasks, isErased } from "./erase";
export { placeOf } from "./list";
export { measureVideos } from "./measure";
export { listOpenTasks } from "./open-tasks";
export { resealTasks } from "./reseal";
export type { TaskView } from "./rows";
export { createVideos, type Videos } from "./videos";
