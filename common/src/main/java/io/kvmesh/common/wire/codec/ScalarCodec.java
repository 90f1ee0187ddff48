package io.kvmesh.common.wire.codec;

import io.kvmesh.common.key.ChunkHash;
import io.kvmesh.common.wire.Bytes;
import io.kvmesh.common.wire.Formats;
import io.kvmesh.common.wire.codec.WireFormatException.Code;
import io.kvmesh.common.wire.vllm.BlockHash;
import java.io.IOException;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.msgpack.core.MessageFormat;
import org.msgpack.core.MessagePacker;

/** The types without parts. */
enum ScalarCodec implements ValueCodec {
  BOOLEAN("bool") {
    @Override
    public Object read(WireReader in) throws WireFormatException {
      return in.readBoolean(expected());
    }

    @Override
    void writeValue(MessagePacker out, Object value) throws IOException {
      out.packBoolean((Boolean) value);
    }
  },

  INT("int") {
    @Override
    public Object read(WireReader in) throws WireFormatException {
      long value = readSigned(in, expected());
      if (value != (int) value) {
        throw outOfRange(in, Integer.SIZE);
      }
      return (int) value;
    }

    @Override
    void writeValue(MessagePacker out, Object value) throws IOException {
      out.packInt((Integer) value);
    }
  },

  LONG("int") {
    @Override
    public Object read(WireReader in) throws WireFormatException {
      return readSigned(in, expected());
    }

    @Override
    void writeValue(MessagePacker out, Object value) throws IOException {
      out.packLong((Long) value);
    }
  },

  /** A format number: one that is later than ours can't be read any further. */
  FORMAT("int") {
    @Override
    public Object read(WireReader in) throws WireFormatException {
      long format = readSigned(in, expected());
      if (format > Formats.CURRENT) {
        throw in.fault(
            Code.UNSUPPORTED_FORMAT,
            "Expected format %d or earlier, got %d: its writer is of a later version, upgrade this reader"
                .formatted(Formats.CURRENT, format));
      }
      if (format < 1) {
        throw in.fault(Code.INVALID_VALUE, "Expected a format of 1 or later, got " + format);
      }
      return (int) format;
    }

    @Override
    void writeValue(MessagePacker out, Object value) throws IOException {
      out.packInt((Integer) value);
    }
  },

  DOUBLE("float") {
    @Override
    public Object read(WireReader in) throws WireFormatException {
      return in.readDouble(expected());
    }

    @Override
    void writeValue(MessagePacker out, Object value) throws IOException {
      out.packDouble((Double) value);
    }
  },

  STRING("str") {
    @Override
    public Object read(WireReader in) throws WireFormatException {
      return in.readString(expected());
    }

    @Override
    void writeValue(MessagePacker out, Object value) throws IOException {
      out.packString((String) value);
    }
  },

  BYTES("bytes") {
    @Override
    public Object read(WireReader in) throws WireFormatException {
      return in.readBytes(expected());
    }

    @Override
    void writeValue(MessagePacker out, Object value) throws IOException {
      byte[] content = ((Bytes) value).toArray();
      out.packBinaryHeader(content.length);
      out.writePayload(content);
    }
  },

  /** The hash of a vLLM block, a number or the whole digest. */
  BLOCK_HASH("int | bytes") {
    @Override
    public Object read(WireReader in) throws WireFormatException {
      MessageFormat format = in.peek();
      return switch (format.getValueType()) {
        case BINARY -> ofDigest(in);
        case INTEGER -> BlockHash.of(in.readIntegerBits(expected()));
        default -> throw in.wrongType(expected(), format);
      };
    }

    private BlockHash ofDigest(WireReader in) throws WireFormatException {
      Bytes digest = in.readBytes(expected());
      try {
        return BlockHash.of(digest);
      } catch (IllegalArgumentException e) {
        throw in.fault(Code.OUT_OF_RANGE, String.valueOf(e.getMessage()));
      }
    }

    @Override
    void writeValue(MessagePacker out, Object value) throws IOException {
      BlockHash hash = (BlockHash) value;
      Bytes digest = hash.digest();
      if (digest == null) {
        Integers.packHash(out, hash.bits(), false);
      } else {
        BYTES.writeValue(out, digest);
      }
    }
  },

  /** A hash is an integer from −2^63 to 2^64−1 and keeps its sign. */
  HASH("int") {
    @Override
    public Object read(WireReader in) throws WireFormatException {
      long bits = in.readIntegerBits(expected());
      return bits < 0 && !in.wasUint64() ? ChunkHash.ofSigned(bits) : ChunkHash.ofUnsigned(bits);
    }

    @Override
    void writeValue(MessagePacker out, Object value) throws IOException {
      ChunkHash hash = (ChunkHash) value;
      if (hash.isWide()) {
        throw new IllegalArgumentException(
            "Only hashes of 64 bits go over this protocol, got " + hash);
      }
      Integers.packHash(out, hash.bits(), hash.isNegative());
    }
  };

  private final String expected;

  ScalarCodec(String expected) {
    this.expected = expected;
  }

  @Override
  public String expected() {
    return expected;
  }

  @Override
  public void write(MessagePacker out, @Nullable Object value) throws IOException {
    writeValue(out, Objects.requireNonNull(value));
  }

  abstract void writeValue(MessagePacker out, Object value) throws IOException;

  private static long readSigned(WireReader in, String expected) throws WireFormatException {
    long bits = in.readIntegerBits(expected);
    if (bits < 0 && in.wasUint64()) {
      throw outOfRange(in, Long.SIZE);
    }
    return bits;
  }

  private static WireFormatException outOfRange(WireReader in, int size) {
    return in.fault(Code.OUT_OF_RANGE, "Expected `int` of %d bits with sign".formatted(size));
  }
}
