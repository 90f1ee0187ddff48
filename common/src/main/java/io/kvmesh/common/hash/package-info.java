/**
 * Hashes of token chunks, as LMCache and vLLM compute them: the chain of a prompt's chunks, each
 * hash made of the one before it and the chunk's tokens.
 */
@NullMarked
package io.kvmesh.common.hash;

import org.jspecify.annotations.NullMarked;
