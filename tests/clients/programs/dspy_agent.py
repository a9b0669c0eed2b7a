"""DSPy's ReAct, which asks for sections of text instead of calls."""

import os
import re
import sys

import dspy


def look(command: str) -> str:
    """Multiplies"""
    one, other = re.findall(r"\d+", command)
    return str(int(one) * int(other))


model = dspy.LM(
    f"openai/{os.environ['MODEL']}",
    api_base=os.environ["BASE_URL"],
    api_key=os.environ["KEY"],
    cache=False,
)
try:
    with dspy.context(lm=model):
        print(dspy.ReAct("question -> answer", tools=[look])(question=os.environ["PROMPT"]).answer)
except Exception as error:
    sys.exit(f"{type(error).__name__}: {error}")
