/** Listens to the KV events of vLLM engines and speaks for the engines on the log. */
@NullMarked
package io.kvmesh.controller.vllm;

import org.jspecify.annotations.NullMarked;
