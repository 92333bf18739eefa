"""Short share links: an address as a code that any replica reads without asking anyone.

A code is base64url of a version byte and the address, deflated against a dictionary of what
addresses are made of. Deflate is written here, not taken from zlib, whose bytes differ between
builds: the same address is the same code on every machine, today and later. Reading is zlib's.

Version 1 is frozen: its dictionary and its writer never change, as every code ever given out
must still be read. A better dictionary becomes version 2 beside it.
"""

from __future__ import annotations

import base64
import binascii
import re
import zlib
from functools import lru_cache

from explorer.domain.deflate import deflate

LONGEST_CODE = 6_000
LONGEST_ADDRESS = 4_000
_VERSION = 1
_DICTIONARY_1 = (
    b"&a=&b=&c=&d=&agent=&turn=&color=&q=&req=&range=&open=dag&engine_id=&from=&to=&by=worker"
    b"&by=conversation&by=slot&by=engine&x_from=&x_to=&y_from=&y_to=&rate.=&kw.=&unmerge=&hide="
    b"&at=&base=&bands=1&rows=all&date=202&runs=all&run=&source=simulated&source=measured&conc="
    b"&dataset=&workload=8k1k&workload=1k1k&scenario=agentic&scenario=fixed&scenario=multiturn"
    b"&frontier=e2e&frontier=all&limit=mark&limit_stat=p50&accuracy_min=0.&valid=1&partial=1"
    b"&split=precision,spec,mode,offload,parallelism&label=none&label=shape&scale=logx&scale=log"
    b"&mode=disagg&mode=agg&offload=dram&offload=none&spec=mtp&spec=none&precision=fp8&precision="
    b"fp4&cost_max=0.&e2e_min=&speed_min=40&ttft_max=5&stat=p50&stat=p99&stat=mean"
    b"&x=p90_ttft_s&x=concurrency&x=e2e_interactivity_tps&y=output_tps_per_gpu&y=cost_per_m_total"
    b"&price=own@2026-&price=neocloud&price=rental&engine=dynamo-vllm,mori-sglang,mooncake-atom"
    b",dynamo-trt,dynamo-sglang&engine=vllm,sglang,trt,atom&hw=rtx6000pro,mi300x,mi325x,mi355x"
    b",gb300,gb200,b300,b200,h200,h100&model=deepseek-r1,qwen3,llama,gptoss,glm,minimax,kimik2.5"
    b"/compare/conversations?a=/compare/timelines?a=/compare?a=/snapshots?a=/datasets/"
    b"/conversations/&view=history&sort=-/points//timeline?phase=warmup&phase=all&point="
    b"?point=?model=?snap=&theme=dark&theme=light&snap=&lang=zh&lang=en/points/"
)
_CODE = re.compile(r"[A-Za-z0-9_-]{2,}")
_ADDRESS = re.compile(r"/(?![/\\])[!-~]*")


class BrokenCodeError(ValueError):
    """A code that is none: `code` says why (form, version, damaged, long, address)."""

    def __init__(self, code: str) -> None:
        super().__init__(code)
        self.code = code


@lru_cache(maxsize=1_024)
def encode(address: str) -> str:
    """Return the code of an address inside the product: `/path?query`, ASCII, quoted.

    BrokenCodeError (address, long) for what is no such address.
    """
    if not _ADDRESS.fullmatch(address):
        raise BrokenCodeError("address")
    if len(address) > LONGEST_ADDRESS:
        raise BrokenCodeError("long")
    packed = bytes([_VERSION]) + deflate(address.encode("ascii"), _DICTIONARY_1)
    return base64.urlsafe_b64encode(packed).rstrip(b"=").decode()


def decode(code: str) -> str:
    """Return the address of a code; BrokenCodeError says what is wrong with it.

    The answer is at most LONGEST_ADDRESS long, whatever the code would unfold to.
    """
    if len(code) > LONGEST_CODE:
        raise BrokenCodeError("long")
    packed = _bytes(code)
    if packed[0] != _VERSION:
        raise BrokenCodeError("version")
    address = _inflated(packed[1:])
    if not _ADDRESS.fullmatch(address):
        raise BrokenCodeError("address")
    return address


def _bytes(code: str) -> bytes:
    if not _CODE.fullmatch(code):
        raise BrokenCodeError("form")
    try:
        packed = base64.urlsafe_b64decode(code + "=" * (-len(code) % 4))
    except binascii.Error as error:
        raise BrokenCodeError("form") from error
    if base64.urlsafe_b64encode(packed).rstrip(b"=").decode() != code:
        raise BrokenCodeError("form")  # bits left over: one address has one code
    return packed


def _inflated(packed: bytes) -> str:
    reader = zlib.decompressobj(-15, zdict=_DICTIONARY_1)
    try:
        text = reader.decompress(packed, LONGEST_ADDRESS + 1)
    except zlib.error as error:
        raise BrokenCodeError("damaged") from error
    if len(text) > LONGEST_ADDRESS:
        raise BrokenCodeError("long")
    if not reader.eof or reader.unused_data:
        raise BrokenCodeError("damaged")
    return text.decode("latin-1")
