package io.kvmesh.common.key;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import org.junit.jupiter.api.Test;

class KeyspaceTest {

  private static final long DIGEST_OF_M = 0xb990a823aaab488L;
  private static final long MIX_OF_ZEROS = 0x6393d51c06c618dcL;
  private static final long MIX_OF_M = 0x183cb626e4896aa7L;

  @Test
  void parse_ownText_isTheSame() {
    for (String text :
        List.of("m@1@0@half", "org/model@8@7@bfloat16@user%alice@org%x", "foreign@3")) {
      Keyspace keyspace = Keyspace.parse(text);
      assertThat(keyspace).hasToString(text).isEqualTo(Keyspace.parse(text));
    }
  }

  @Test
  void parse_noKeyspace_refused() {
    for (String text :
        List.of("", "m", "m@1@0", "foreign@x", "foreign@-1", "m@1@0@half@t", "m@x@0@half")) {
      assertThatThrownBy(() -> Keyspace.parse(text))
          .as(text)
          .isInstanceOf(KeyFormatException.class);
    }
  }

  @Test
  void foreign_chunk_hasATextOfItsOwn() {
    ChunkKey key = new ChunkKey(Keyspace.foreign(3), ChunkHash.ofSigned(-5));

    assertThat(key).hasToString("foreign@3@-5");
    assertThat(ChunkKey.parse("foreign@3@-5")).isEqualTo(key);
    assertThat(key.keyspace().isForeign()).isTrue();
    assertThat(Keyspace.parse("foreign@3@0@half").isForeign()).isFalse();
  }

  /** These numbers are on the log and in Redis: they must never change. */
  @Test
  void digests_areTheSameInEveryVersion() {
    assertThat(Keyspace.parse("m@1@0@half").digest()).isEqualTo(DIGEST_OF_M);
    assertThat(PlacementDigest.mix(0, 0)).isEqualTo(MIX_OF_ZEROS);
    assertThat(PlacementDigest.mix(Keyspace.parse("m@1@0@half").digest(), -1)).isEqualTo(MIX_OF_M);
  }

  @Test
  void workerId_text_bothWays() {
    assertThat(WorkerId.parse("pod-7.a/3"))
        .isEqualTo(new WorkerId("pod-7.a", 3))
        .hasToString("pod-7.a/3");
    for (String text :
        List.of(
            "",
            "a",
            "/1",
            "a/",
            "a/-1",
            "a/b/1",
            "a/x",
            "a/99999999999",
            "a\u0001/1",
            "x".repeat(201) + "/1")) {
      assertThatThrownBy(() -> WorkerId.parse(text))
          .as(text)
          .isInstanceOf(KeyFormatException.class);
    }
    assertThatThrownBy(() -> new WorkerId("a", -1)).isInstanceOf(KeyFormatException.class);
  }
}
