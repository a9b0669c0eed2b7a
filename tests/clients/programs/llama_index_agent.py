"""LlamaIndex's agent, with its answer printed as it arrives."""

import asyncio
import os
import re
import sys

from llama_index.core.agent.workflow import AgentStream, FunctionAgent
from llama_index.llms.openai_like import OpenAILike


def look(command: str) -> str:
    """Multiplies"""
    one, other = re.findall(r"\d+", command)
    return str(int(one) * int(other))


async def main() -> None:
    llm = OpenAILike(
        model=os.environ["MODEL"],
        api_base=os.environ["BASE_URL"],
        api_key=os.environ["KEY"],
        is_chat_model=True,
        is_function_calling_model=True,
    )
    handler = FunctionAgent(tools=[look], llm=llm).run(os.environ["PROMPT"])
    async for event in handler.stream_events():
        if isinstance(event, AgentStream):
            print(event.delta, end="", flush=True)
    await handler


try:
    asyncio.run(main())
except Exception as error:
    sys.exit(f"{type(error).__name__}: {error}")
