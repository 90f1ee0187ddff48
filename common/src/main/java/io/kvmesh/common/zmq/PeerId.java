package io.kvmesh.common.zmq;

import java.util.Arrays;
import java.util.HexFormat;
import org.jspecify.annotations.Nullable;

/** The identity that a ROUTER gave to a peer's connection, or that the peer chose. */
public final class PeerId {

  private final byte[] identity;

  private PeerId(byte[] identity) {
    this.identity = identity;
  }

  static PeerId of(byte[] identity) {
    return new PeerId(identity);
  }

  @Override
  public boolean equals(@Nullable Object other) {
    return other instanceof PeerId that && Arrays.equals(identity, that.identity);
  }

  @Override
  public int hashCode() {
    return Arrays.hashCode(identity);
  }

  /** Hexadecimal. */
  @Override
  public String toString() {
    return HexFormat.of().formatHex(identity);
  }
}
