/** What vLLM tells of its own KV cache: events of blocks that were stored or removed. */
@NullMarked
package io.kvmesh.common.wire.vllm;

import org.jspecify.annotations.NullMarked;
