package io.kvmesh.agent.control;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.kvmesh.common.hash.ChunkHashing;
import io.kvmesh.common.hash.TokenChunker;
import io.kvmesh.common.key.ChunkKey;
import io.kvmesh.common.key.Keyspace;
import java.util.List;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

class TokenKeysTest {

  private static final List<Long> PROMPT = LongStream.rangeClosed(1, 9).boxed().toList();

  private static TokenKeys keys(boolean lastPart) {
    return new TokenKeys(
        Keyspace.of("m", 2, 1, "bfloat16", List.of()),
        new TokenChunker(ChunkHashing.of("builtin", ""), 4),
        lastPart);
  }

  @Test
  void chunks_haveTheKeysThatTheEngineWrites() {
    assertThat(keys(false).of(PROMPT))
        .map(ChunkKey::toString)
        .containsExactly("m@2@1@44ea817d9387da2c@bfloat16", "m@2@1@-5754ed40775a7be6@bfloat16");
    assertThat(keys(true).of(PROMPT)).hasSize(3).startsWith(keys(false).of(PROMPT).getFirst());
    assertThat(keys(false).of(PROMPT.subList(0, 3))).isEmpty();
  }

  @Test
  void noToken_isNamed() {
    assertThatThrownBy(() -> keys(false).of(List.of(1L, -7L)))
        .hasMessageStartingWith("Token 1 is -7: ");
  }
}
