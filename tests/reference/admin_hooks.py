"""Makes schemathesis send existing identifiers to the admin API: otherwise nearly every case would end at a 404."""

import itertools
import json
import os

import schemathesis

KEYS = json.loads(os.environ["REFERENCE_KEYS"])
OWN = {key["id"] for key in KEYS}
TURNS = itertools.cycle(KEYS)
# The identifiers in earlier answers, by the parameter that names one.
KNOWN = {}
COLLECTIONS = {
    "accounts": "account_id",
    "channels": "channel_id",
    "code-batches": "batch_id",
    "keys": "key_id",
    "management-keys": "management_key_id",
    "models": "model_id",
    "payments": "payment_id",
    "tasks": "task_id",
    "users": "user_id",
    "webhooks": "webhook_id",
}
# Addresses without a server: invented ones might exist.
NOWHERE = {"base_url": "https://vendor.invalid/v1", "url": "https://hooks.invalid/"}


def noun_of(operation):
    return COLLECTIONS.get(operation.path.split("/")[1])


def one_of(name, given):
    """The same identifier for the same case; every eighth case keeps the invented one."""
    known = KNOWN.get(name)
    pick = sum(map(ord, str(given)))
    return given if not known or pick % 8 == 0 else known[pick % len(known)]


def sayable(schema):
    """Replaces patterns that its generator does not support."""
    if isinstance(schema, list):
        return [sayable(one) for one in schema]
    if isinstance(schema, dict):
        return {name: sayable(one) for name, one in schema.items()}
    return schema.replace(r"\P{Cc}", r"[^\x00-\x1f\x7f-\x9f]") if isinstance(schema, str) else schema


@schemathesis.hook
def before_load_schema(context, raw_schema):
    raw_schema["paths"] = sayable(raw_schema["paths"])


@schemathesis.hook
def before_call(context, case, kwargs):
    case.headers["Authorization"] = f"Bearer {next(TURNS)['secret']}"


@schemathesis.hook
def map_body(context, body):
    if not isinstance(body, dict):
        return body
    known = {name: one_of(name, value) for name, value in body.items() if isinstance(value, str)}
    nowhere = {name: url for name, url in NOWHERE.items() if isinstance(body.get(name), str)}
    return {**body, **known, **nowhere}


@schemathesis.hook
def map_path_parameters(context, parameters):
    if not parameters:
        return parameters
    noun = noun_of(context.operation)
    return {name: one_of(noun if name == "id" else name, value) for name, value in parameters.items()}


@schemathesis.hook
def after_call(context, case, response):
    noun = noun_of(case.operation)
    if noun is None or response.status_code >= 300:
        return
    told = response.json()
    for one in told.get("data", [told]) if isinstance(told, dict) else []:
        # Skips its own keys, which it must not revoke.
        if isinstance(one, dict) and isinstance(one.get("id"), str) and one["id"] not in OWN:
            kept = KNOWN.setdefault(noun, [])
            if one["id"] not in kept:
                kept.append(one["id"])
                del kept[:-20]
