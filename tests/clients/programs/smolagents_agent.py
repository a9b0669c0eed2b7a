"""smolagents' agent with tools. It sends `stop` sequences to every model."""

import os
import re
import sys

from smolagents import LogLevel, OpenAIModel, ToolCallingAgent, tool


@tool
def look(command: str) -> str:
    """Multiplies

    Args:
        command: what to multiply
    """
    one, other = re.findall(r"\d+", command)
    return str(int(one) * int(other))


model = OpenAIModel(model_id=os.environ["MODEL"], api_base=os.environ["BASE_URL"], api_key=os.environ["KEY"])
agent = ToolCallingAgent(
    tools=[look], model=model, max_steps=5, stream_outputs=True, verbosity_level=LogLevel.OFF
)
try:
    print(agent.run(os.environ["PROMPT"]))
except Exception as error:
    sys.exit(f"{type(error).__name__}: {error}")
