"""Pydantic AI's agent over either of its OpenAI models, with its answer printed as it arrives."""

import asyncio
import os
import re
import sys

from pydantic_ai import Agent, PartDeltaEvent, TextPartDelta
from pydantic_ai.models.openai import OpenAIChatModel, OpenAIResponsesModel
from pydantic_ai.providers.openai import OpenAIProvider

provider = OpenAIProvider(base_url=os.environ["BASE_URL"], api_key=os.environ["KEY"])
models = {"chat": OpenAIChatModel, "responses": OpenAIResponsesModel}
agent = Agent(models[os.environ["DIALECT"]](os.environ["MODEL"], provider=provider))


@agent.tool_plain
def look(command: str) -> str:
    """Multiplies"""
    one, other = re.findall(r"\d+", command)
    return str(int(one) * int(other))


async def show(_context, events) -> None:
    async for event in events:
        if isinstance(event, PartDeltaEvent) and isinstance(event.delta, TextPartDelta):
            print(event.delta.content_delta, end="", flush=True)


async def main() -> None:
    # Not `run_stream`: it returns the first text as the answer, even if tools are called after it.
    result = await agent.run(os.environ["PROMPT"], event_stream_handler=show)
    print()
    print(result.output)


try:
    asyncio.run(main())
except Exception as error:
    sys.exit(f"{type(error).__name__}: {error}")
