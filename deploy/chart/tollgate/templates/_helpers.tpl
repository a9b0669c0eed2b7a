{{- define "tollgate.fullname" -}}
{{- if contains .Chart.Name .Release.Name }}{{ .Release.Name | trunc 50 | trimSuffix "-" }}
{{- else }}{{ printf "%s-%s" .Release.Name .Chart.Name | trunc 50 | trimSuffix "-" }}{{ end -}}
{{- end }}

{{- define "tollgate.selector" -}}
app.kubernetes.io/name: {{ .Chart.Name }}
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end }}

{{- define "tollgate.labels" -}}
{{ include "tollgate.selector" . }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version }}
{{- end }}

{{- define "tollgate.image" -}}
{{ .Values.image.repository }}:{{ .Values.image.tag | default .Chart.AppVersion }}{{ with .Values.image.digest }}@{{ . }}{{ end }}
{{- end }}

{{- define "tollgate.secret" -}}
{{ required "secrets.existingSecret: name a Secret with DATABASE_URL, AUTH_SECRET, ENCRYPTION_KEY and KEY_PEPPER" .Values.secrets.existingSecret }}
{{- end }}

{{/* During an upgrade there is one pod more than the largest number of replicas. */}}
{{- define "tollgate.checkConnections" -}}
{{- $most := .Values.autoscaling.enabled | ternary .Values.autoscaling.maxReplicas .Values.replicas | int }}
{{- $each := mul (add (int .Values.gateways) 1) (add (int .Values.databaseConnections) 1) }}
{{- $all := mul (add $most 1) $each }}
{{- $allowed := int .Values.database.maxConnections }}
{{- if and (gt $allowed 0) (gt $all $allowed) }}
{{- fail (printf "%d pods, and one more during an upgrade, open up to %d connections (%d each), and database.maxConnections is %d: fewer replicas, gateways or databaseConnections, or more connections" $most $all $each $allowed) }}
{{- end }}
{{- end }}

{{- define "tollgate.podSecurity" -}}
runAsNonRoot: true
runAsUser: 10001
runAsGroup: 10001
fsGroup: 10001
seccompProfile: { type: RuntimeDefault }
{{- end }}

{{- define "tollgate.containerSecurity" -}}
allowPrivilegeEscalation: false
readOnlyRootFilesystem: true
capabilities: { drop: [ALL] }
{{- end }}

{{- define "tollgate.environment" -}}
- { name: HOST, value: "0.0.0.0" }
- { name: PORT, value: "3000" }
- { name: TOLLGATE_DATA_DIR, value: /data }
- { name: WEB_CONCURRENCY, value: {{ .Values.gateways | quote }} }
- { name: DATABASE_CONNECTIONS, value: {{ .Values.databaseConnections | quote }} }
- { name: LAME_DUCK_SECONDS, value: {{ .Values.lameDuckSeconds | quote }} }
- { name: DRAIN_SECONDS, value: {{ .Values.drainSeconds | quote }} }
{{- end }}

{{/* The pod that migrates: metadata and spec. */}}
{{- define "tollgate.migratingPod" -}}
metadata:
  labels:
    app.kubernetes.io/name: {{ .Chart.Name }}-migrate
    app.kubernetes.io/instance: {{ .Release.Name }}
spec:
  restartPolicy: Never
  automountServiceAccountToken: false
  enableServiceLinks: false
  securityContext: {{- include "tollgate.podSecurity" . | nindent 4 }}
  {{- with .Values.imagePullSecrets }}
  imagePullSecrets: {{- toYaml . | nindent 4 }}
  {{- end }}
  containers:
    - name: migrate
      image: {{ include "tollgate.image" . }}
      imagePullPolicy: {{ .Values.image.pullPolicy }}
      args: [/app/tollgate.js, migrate]
      securityContext: {{- include "tollgate.containerSecurity" . | nindent 8 }}
      env: {{- include "tollgate.environment" . | nindent 8 }}
        # These decide which partitions it creates and drops. Helm creates the ConfigMap only after this Job.
        {{- range $name, $value := pick .Values.config "BILLING_TIMEZONE" "REQUEST_LOG_DAYS" }}
        - { name: {{ $name }}, value: {{ $value | quote }} }
        {{- end }}
      envFrom:
        - secretRef: { name: {{ include "tollgate.secret" . }} }
        {{- with .Values.migrations.existingSecret }}
        # Last, so that it overrides the variables of the other Secret.
        - secretRef: { name: {{ . }} }
        {{- end }}
      resources:
        requests: { cpu: 100m, memory: 128Mi }
        limits: { memory: 512Mi }
      volumeMounts:
        - { name: data, mountPath: /data }
        - { name: tmp, mountPath: /tmp }
  volumes:
    - { name: data, emptyDir: {} }
    - { name: tmp, emptyDir: {} }
  {{- with .Values.nodeSelector }}
  nodeSelector: {{- toYaml . | nindent 4 }}
  {{- end }}
  {{- with .Values.tolerations }}
  tolerations: {{- toYaml . | nindent 4 }}
  {{- end }}
{{- end }}
