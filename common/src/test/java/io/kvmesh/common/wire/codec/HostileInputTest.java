package io.kvmesh.common.wire.codec;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import com.sun.management.ThreadMXBean;
import io.kvmesh.common.wire.Message;
import io.kvmesh.common.wire.codec.WireFormatException.Code;
import io.kvmesh.common.wire.directory.DirectoryMessage;
import io.kvmesh.common.wire.handshake.HandshakeMessage;
import java.lang.management.ManagementFactory;
import java.util.HexFormat;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Lengths that lie, depths without end: refused at once, without memory for what isn't there. */
class HostileInputTest {

  private static final long ALLOCATION_BOUND = 256 << 10;

  private final MessageCodec codec = new MessageCodec(new DecodeLimits(1 << 20, 1000, 20));
  private final ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();

  private WireFormatException refusedCheaply(Class<? extends Message> family, byte[] bytes) {
    // Schemas are made once, which allocates.
    assertThat(refused(family, bytes)).isNotNull();
    long before = threads.getCurrentThreadAllocatedBytes();
    WireFormatException e = refused(family, bytes);
    long allocated = threads.getCurrentThreadAllocatedBytes() - before;
    assertThat(e).isNotNull();
    assertThat(allocated).as(HexFormat.of().formatHex(bytes)).isLessThan(ALLOCATION_BOUND);
    return e;
  }

  private WireFormatException refused(Class<? extends Message> family, byte[] bytes) {
    return catchThrowableOfType(WireFormatException.class, () -> codec.decode(family, bytes));
  }

  private static byte[] lookup(String hashes) {
    byte[] value = HexFormat.of().parseHex(hashes);
    return Msgpack.bytes(
        out -> {
          out.packMapHeader(4).packString("type").packString("BatchedP2PLookupMsg");
          out.packString("hashes").addPayload(value);
        });
  }

  private static byte[] unknownField(String value) {
    byte[] bytes = HexFormat.of().parseHex(value);
    return Msgpack.bytes(
        out -> {
          out.packMapHeader(4).packString("type").packString("P2PInitSideMsg");
          out.packString("unknown").addPayload(bytes);
        });
  }

  @Test
  void decode_claimedLengthsBeyondTheBytes_truncated() {
    for (String claim :
        List.of("dd7fffffff", "dd80000000", "ddffffffff", "dcffff", "9f", "dd000000ff01")) {
      assertThat(refusedCheaply(DirectoryMessage.class, lookup(claim)).code())
          .as(claim)
          .isEqualTo(Code.TRUNCATED);
    }
    for (String claim :
        List.of(
            "df7fffffff",
            "dfffffffff",
            "deffff",
            "8f",
            "db7fffffff",
            "dbffffffff",
            "daffff",
            "d9ff",
            "bf",
            "c67fffffff",
            "c6ffffffff",
            "c5ffff",
            "c4ff",
            "c97fffffff01",
            "c9ffffffff01",
            "c8ffff01",
            "c7ff01",
            "d801",
            "dd7fffffff",
            "ddffffffff",
            "92dd7fffffffdd7fffffff",
            "cf",
            "cb00",
            "ca",
            "d3",
            "d9",
            "da00",
            "dc00",
            "dd000000")) {
      assertThat(refusedCheaply(HandshakeMessage.class, unknownField(claim)).code())
          .as(claim)
          .isEqualTo(Code.TRUNCATED);
    }
    for (String map : List.of("df7fffffff", "dfffffffff", "deffff", "8f")) {
      assertThat(
              refusedCheaply(DirectoryMessage.class, HexFormat.of().parseHex(map + "a474797065"))
                  .code())
          .isEqualTo(Code.TRUNCATED);
    }
  }

  /** msgpack-core's own skipping would add these counts up to less than none, and stop. */
  @Test
  void decode_skippedCountsThatOverflow_refused() {
    String claim = "dd7fffffffdd7fffffffdd7fffffff";
    assertThat(refusedCheaply(HandshakeMessage.class, unknownField(claim)).code())
        .isEqualTo(Code.TRUNCATED);
  }

  @Test
  void decode_tooDeep_refused() {
    for (String opener : List.of("91", "81a161", "8191")) {
      String deep = opener.repeat(100_000);
      assertThat(refusedCheaply(HandshakeMessage.class, unknownField(deep)).code())
          .isEqualTo(Code.LIMIT_EXCEEDED);
    }
    byte[] args =
        Msgpack.bytes(
            out -> {
              out.packMapHeader(2).packString("type").packString("HeartbeatRetMsg");
              out.packString("commands").packArrayHeader(1).packMapHeader(2);
              out.packString("command_type").packString("full_sync");
              out.packString("args").packMapHeader(1).packString("k");
              out.addPayload(HexFormat.of().parseHex("91".repeat(100_000)));
            });
    WireFormatException e = refusedCheaply(DirectoryMessage.class, args);
    assertThat(e.code()).isEqualTo(Code.LIMIT_EXCEEDED);
    assertThat(e.path()).startsWith("$.commands[0].args[k][0]");
  }

  @Test
  void decode_tooManyElementsOrBytes_refused() {
    byte[] many = lookup("dc07d0" + "00".repeat(2000));
    assertThat(refusedCheaply(DirectoryMessage.class, many).code()).isEqualTo(Code.LIMIT_EXCEEDED);
    assertThat(refusedCheaply(DirectoryMessage.class, new byte[(1 << 20) + 1]).code())
        .isEqualTo(Code.LIMIT_EXCEEDED);
  }

  @Test
  void decode_neverUsedByte_malformed() {
    assertThat(refusedCheaply(DirectoryMessage.class, new byte[] {(byte) 0xc1}).code())
        .isEqualTo(Code.MALFORMED);
    assertThat(refusedCheaply(HandshakeMessage.class, unknownField("c1")).code())
        .isEqualTo(Code.MALFORMED);
    assertThat(refusedCheaply(DirectoryMessage.class, lookup("91c1")).path())
        .isEqualTo("$.hashes[0]");
  }
}
