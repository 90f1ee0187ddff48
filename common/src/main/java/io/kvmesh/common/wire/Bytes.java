package io.kvmesh.common.wire;

import java.util.Arrays;
import java.util.HexFormat;
import org.jspecify.annotations.Nullable;

/** An immutable string of bytes, compared by content: msgpack's bin. */
public final class Bytes {

  private final byte[] content;

  private Bytes(byte[] content) {
    this.content = content;
  }

  /** A copy of the array. */
  public static Bytes of(byte... content) {
    return new Bytes(content.clone());
  }

  /** Number of bytes. */
  public int length() {
    return content.length;
  }

  /** A copy of the content. */
  public byte[] toArray() {
    return content.clone();
  }

  @Override
  public boolean equals(@Nullable Object other) {
    return other instanceof Bytes that && Arrays.equals(content, that.content);
  }

  @Override
  public int hashCode() {
    return Arrays.hashCode(content);
  }

  /** Lower-case hexadecimal. */
  @Override
  public String toString() {
    return HexFormat.of().formatHex(content);
  }
}
