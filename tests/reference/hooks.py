"""Makes schemathesis send existing models: otherwise nearly every case would end at a 404."""

import json
import os

import schemathesis

[KEY] = json.loads(os.environ["REFERENCE_KEYS"])
MODELS = json.loads(os.environ["REFERENCE_MODELS"])


def model_for(path, given):
    """The same model for the same case; every eighth case keeps the invented one."""
    fitting = next((model for part, model in MODELS.items() if part in path), None)
    return given if fitting is None or sum(map(ord, given)) % 8 == 0 else fitting


@schemathesis.hook
def before_call(context, case, kwargs):
    case.headers["Authorization"] = f"Bearer {KEY['secret']}"


@schemathesis.hook
def map_body(context, body):
    path = context.operation.path
    if isinstance(body, dict) and isinstance(body.get("model"), str):
        return {**body, "model": model_for(path, body["model"])}
    return body


@schemathesis.hook
def map_path_parameters(context, path_parameters):
    if path_parameters and isinstance(path_parameters.get("model"), str):
        return {**path_parameters, "model": model_for(context.operation.path, path_parameters["model"])}
    return path_parameters


def event_of(data):
    """The schema of an event, for schemathesis. The document has that of its data, as OpenAI's own does."""
    json_data = {"type": "string", "contentMediaType": "application/json", "contentSchema": data}
    return {
        "type": "object",
        "properties": {"data": {"anyOf": [{"const": "[DONE]"}, json_data]}},
        "required": ["data"],
    }


@schemathesis.hook
def before_load_schema(context, raw_schema):
    for operations in raw_schema["paths"].values():
        for operation in operations.values():
            for response in operation["responses"].values():
                events = response.get("content", {}).get("text/event-stream", {})
                if "schema" in events:
                    events["schema"] = event_of(events["schema"])
