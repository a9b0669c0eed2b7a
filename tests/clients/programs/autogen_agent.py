"""AutoGen's assistant, with its answer printed as it arrives."""

import asyncio
import os
import re
import sys

from autogen_agentchat.agents import AssistantAgent
from autogen_agentchat.messages import ModelClientStreamingChunkEvent
from autogen_ext.models.openai import OpenAIChatCompletionClient


def look(command: str) -> str:
    """Multiplies"""
    one, other = re.findall(r"\d+", command)
    return str(int(one) * int(other))


async def main() -> None:
    model = OpenAIChatCompletionClient(
        model=os.environ["MODEL"],
        base_url=os.environ["BASE_URL"],
        api_key=os.environ["KEY"],
        model_info={
            "vision": False,
            "function_calling": True,
            "json_output": True,
            "structured_output": True,
            "family": "unknown",
        },
    )
    agent = AssistantAgent("multiplier", model, tools=[look], max_tool_iterations=5, model_client_stream=True)
    async for event in agent.run_stream(task=os.environ["PROMPT"]):
        if isinstance(event, ModelClientStreamingChunkEvent):
            print(event.content, end="", flush=True)
    await model.close()


try:
    asyncio.run(main())
except Exception as error:
    sys.exit(f"{type(error).__name__}: {error}")
