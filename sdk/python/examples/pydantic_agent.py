"""python examples/pydantic_agent.py   (with `cairn serve` running, and pydantic-ai installed)"""

import asyncio

from pydantic_ai import Agent
from pydantic_ai.messages import ModelMessage, ModelResponse, TextPart
from pydantic_ai.models.function import AgentInfo, FunctionModel

from cairn_recall import AsyncMemory
from cairn_recall.pydantic_ai import CairnMemory


def model(messages: list[ModelMessage], _: AgentInfo) -> ModelResponse:
    """Says what it was shown; put your own model here."""
    return ModelResponse(parts=[TextPart("\n".join(str(part.content) for part in messages[-1].parts))])


async def main() -> None:
    async with AsyncMemory(agent="example-pydantic-ai") as memory:
        agent = Agent(FunctionModel(model), capabilities=[CairnMemory(memory)])
        for said in ["My ferry leaves Bergen at seven.", "When does my ferry leave Bergen?"]:
            print((await agent.run(said)).output)


asyncio.run(main())
