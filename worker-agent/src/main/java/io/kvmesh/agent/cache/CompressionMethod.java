package io.kvmesh.agent.cache;

import com.github.luben.zstd.Zstd;
import com.github.luben.zstd.ZstdException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import net.jpountz.lz4.LZ4Exception;
import net.jpountz.lz4.LZ4Factory;

/**
 * How a body is made shorter. Any thread. All memory is native; on the libraries see Kafka's
 * client, which brings them.
 */
public enum CompressionMethod {
  /** Shorter. */
  ZSTD {
    @Override
    int compress(MemorySegment from, MemorySegment to) {
      try {
        return (int)
            Zstd.compressDirectByteBuffer(
                to.asByteBuffer(),
                0,
                (int) to.byteSize(),
                from.asByteBuffer(),
                0,
                (int) from.byteSize(),
                ZSTD_LEVEL);
      } catch (ZstdException tooLong) {
        return 0;
      }
    }

    @Override
    public boolean expand(MemorySegment from, MemorySegment to) {
      try {
        long length =
            Zstd.decompressDirectByteBuffer(
                to.asByteBuffer(),
                0,
                (int) to.byteSize(),
                from.asByteBuffer(),
                0,
                (int) from.byteSize());
        return length == to.byteSize();
      } catch (ZstdException harmed) {
        return false;
      }
    }
  },

  /** Faster. */
  LZ4 {
    @Override
    int compress(MemorySegment from, MemorySegment to) {
      try {
        return Lz4.FACTORY
            .fastCompressor()
            .compress(
                from.asByteBuffer(),
                0,
                (int) from.byteSize(),
                to.asByteBuffer(),
                0,
                (int) to.byteSize());
      } catch (LZ4Exception tooLong) {
        return 0;
      }
    }

    @Override
    public boolean expand(MemorySegment from, MemorySegment to) {
      try {
        int length =
            Lz4.FACTORY
                .safeDecompressor()
                .decompress(
                    from.asByteBuffer(),
                    0,
                    (int) from.byteSize(),
                    to.asByteBuffer(),
                    0,
                    (int) to.byteSize());
        return length == to.byteSize();
      } catch (LZ4Exception harmed) {
        return false;
      }
    }
  };

  private static final int ZSTD_LEVEL = 1;

  /** Made when it is used first. */
  private static final class Lz4 {
    static final LZ4Factory FACTORY = LZ4Factory.nativeInstance();

    private Lz4() {}
  }

  /** The method of a name, as commands write it. */
  public static Optional<CompressionMethod> named(String name) {
    return Arrays.stream(values()).filter(it -> it.text().equals(name)).findFirst();
  }

  /**
   * Those that work on this machine, the one whose bodies are shorter first: the libraries load
   * native code, for which there must be a place and a system that they know.
   */
  public static List<CompressionMethod> usable() {
    return Usable.METHODS;
  }

  /** Found out when it is asked first. */
  private static final class Usable {
    static final List<CompressionMethod> METHODS =
        Arrays.stream(values()).filter(CompressionMethod::works).toList();

    private Usable() {}
  }

  private boolean works() {
    try (Arena memory = Arena.ofConfined()) {
      MemorySegment body = memory.allocate(1024);
      MemorySegment shorter = memory.allocate(1024);
      return expand(shorter.asSlice(0, compress(body, shorter)), body);
    } catch (LinkageError notLoaded) {
      return false;
    }
  }

  /** Its name, as commands write it. */
  public String text() {
    return name().toLowerCase(Locale.ROOT);
  }

  /** Writes it shorter; answers how long it is then, 0 if it doesn't get that short. */
  abstract int compress(MemorySegment from, MemorySegment to);

  /** Writes what it was; answers whether that was exactly as long. Never writes more. */
  public abstract boolean expand(MemorySegment from, MemorySegment to);
}
