/**
 * Bytes to messages and back, by the rules of msgspec: what LMCache writes and reads is what we
 * write and read, byte for byte, and what it refuses we refuse. A schema is made once for each
 * record. A message may also come as JSON text, which is rewritten first.
 */
@NullMarked
package io.kvmesh.common.wire.codec;

import org.jspecify.annotations.NullMarked;
