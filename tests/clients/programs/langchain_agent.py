"""LangChain's agent, with its answer printed as it arrives."""

import os
import re
import sys

from langchain.agents import create_agent
from langchain_core.messages import AIMessageChunk
from langchain_openai import ChatOpenAI


def look(command: str) -> str:
    """Multiplies"""
    one, other = re.findall(r"\d+", command)
    return str(int(one) * int(other))


model = ChatOpenAI(model=os.environ["MODEL"], base_url=os.environ["BASE_URL"], api_key=os.environ["KEY"])
agent = create_agent(model, tools=[look])
asked = {"messages": [{"role": "user", "content": os.environ["PROMPT"]}]}
try:
    for message, _about in agent.stream(asked, stream_mode="messages"):
        if isinstance(message, AIMessageChunk):
            print(message.text, end="", flush=True)
except Exception as error:
    sys.exit(f"{type(error).__name__}: {error}")
