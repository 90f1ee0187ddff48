package io.kvmesh.common.wire.codec;

import io.kvmesh.common.wire.codec.WireFormatException.Code;

/**
 * What a decoder takes at most: bytes of a message, elements of one array or map (and {@link
 * #maxElementsInAll} of all), and containers within each other (the message itself is the first).
 */
public record DecodeLimits(int maxBytes, int maxElements, int maxDepth) {

  /** 16 MiB, a million elements, 64 levels. */
  public static final DecodeLimits DEFAULT = new DecodeLimits(16 << 20, 1 << 20, 64);

  /** Checks that each limit is at least 1. */
  public DecodeLimits {
    if (maxBytes < 1 || maxElements < 1 || maxDepth < 1) {
      throw new IllegalArgumentException(
          "Decode limits are at least 1, got %d bytes, %d elements, %d levels"
              .formatted(maxBytes, maxElements, maxDepth));
    }
  }

  /** Elements of all arrays and maps together: an element of one byte costs the heap many. */
  long maxElementsInAll() {
    return 4L * maxElements;
  }

  /** A message of so many bytes may be read at all. */
  void requireAllowed(byte[] bytes) throws WireFormatException {
    if (bytes.length > maxBytes) {
      throw WireFormatException.at(
          Code.LIMIT_EXCEEDED,
          maxBytes,
          "At most %d bytes in one message, got %d".formatted(maxBytes, bytes.length));
    }
  }
}
