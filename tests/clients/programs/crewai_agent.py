"""A crew of one agent, with streaming."""

import os
import re
import sys

from crewai import LLM, Agent, Crew, Task
from crewai.tools import tool


@tool("look")
def look(command: str) -> str:
    """Multiplies"""
    one, other = re.findall(r"\d+", command)
    return str(int(one) * int(other))


model = LLM(
    model=os.environ["MODEL"],
    provider="openai",
    base_url=os.environ["BASE_URL"],
    api_key=os.environ["KEY"],
    stream=True,
)
agent = Agent(role="Multiplier", goal="Tells products", backstory="Has a tool.", llm=model, tools=[look])
task = Task(description=os.environ["PROMPT"], expected_output="The product", agent=agent)
try:
    print(Crew(agents=[agent], tasks=[task], verbose=False).kickoff())
except Exception as error:
    sys.exit(f"{type(error).__name__}: {error}")
