"""The OpenAI Agents SDK, with its answer printed as it arrives."""

import asyncio
import os
import re
import sys

from agents import Agent, Runner, function_tool, set_default_openai_client, set_tracing_disabled
from openai import AsyncOpenAI


@function_tool
def look(command: str) -> str:
    """Multiplies"""
    one, other = re.findall(r"\d+", command)
    return str(int(one) * int(other))


async def main() -> None:
    set_tracing_disabled(True)
    set_default_openai_client(AsyncOpenAI(base_url=os.environ["BASE_URL"], api_key=os.environ["KEY"]))
    agent = Agent(name="Multiplier", model=os.environ["MODEL"], tools=[look])
    result = Runner.run_streamed(agent, os.environ["PROMPT"])
    async for event in result.stream_events():
        if event.type == "raw_response_event" and event.data.type == "response.output_text.delta":
            print(event.data.delta, end="", flush=True)


try:
    asyncio.run(main())
except Exception as error:
    sys.exit(f"{type(error).__name__}: {error}")
