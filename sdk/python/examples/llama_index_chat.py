"""python examples/llama_index_chat.py   (with `cairn serve` running, and llama-index-core installed)"""

from llama_index.core.chat_engine import SimpleChatEngine
from llama_index.core.llms.mock import MockLLM

from cairn_recall import Memory
from cairn_recall.llama_index import CairnMemory

# MockLLM says what it was told; put your own model here.
for said in ["My ferry leaves at seven.", "When does it leave?"]:
    memory = CairnMemory.of(Memory(agent="example-llama-index"), session="monday")
    print(SimpleChatEngine.from_defaults(llm=MockLLM(), memory=memory).chat(said))
