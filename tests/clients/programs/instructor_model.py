"""instructor's answer with a schema, repeated until it matches."""

import os
import re
import sys

import instructor
from openai import OpenAI
from pydantic import BaseModel, field_validator


class look(BaseModel):
    """What was multiplied"""

    command: str

    @field_validator("command")
    @classmethod
    def is_told(cls, command: str) -> str:
        numbers = re.findall(r"\d+", command)
        if len(numbers) == 2:
            raise ValueError(f"{command} is {int(numbers[0]) * int(numbers[1])}: say so")
        return command


client = instructor.from_openai(
    OpenAI(base_url=os.environ["BASE_URL"], api_key=os.environ["KEY"]),
    mode=instructor.Mode[os.environ["MODE"]],
)
messages = [{"role": "user", "content": os.environ["PROMPT"]}]
try:
    answer = client.create(model=os.environ["MODEL"], response_model=look, messages=messages, max_retries=5)
    print(answer.command)
except Exception as error:
    sys.exit(f"{type(error).__name__}: {error}")
