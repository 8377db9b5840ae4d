"""python examples/openai_session.py   (with `cairn serve` running, and openai-agents installed)"""

import asyncio

from cairn_recall import AsyncMemory
from cairn_recall.openai_agents import CairnSession


async def main() -> None:
    async with AsyncMemory(agent="example-openai") as memory:
        # What `Runner.run(agent, "…", session=session)` does around a call of the model.
        await CairnSession("monday", memory).add_items([{"role": "user", "content": "My ferry leaves at seven."}])
        print(await CairnSession("monday", memory).get_items())
        print([hit["text"] for hit in await memory.recall("ferry")])


asyncio.run(main())
