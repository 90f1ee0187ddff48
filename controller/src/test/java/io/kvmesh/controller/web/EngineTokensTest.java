package io.kvmesh.controller.web;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.kvmesh.common.hash.ChunkHashing;
import io.kvmesh.common.hash.TokenChunker;
import io.kvmesh.common.key.Keyspace;
import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Prompts are hashed as the engine of the keyspace hashes its blocks. */
class EngineTokensTest {

  private static final Keyspace KEYSPACE = Keyspace.ofEngine("m", 4);

  private final ChunkReader reader =
      new ChunkReader(
          new TokenChunker(ChunkHashing.of("builtin", ""), 4),
          Map.of(KEYSPACE, new TokenChunker(ChunkHashing.of("sha256_cbor+raw+none", "0"), 4)),
          100);

  private static ChunkNames tokens(Keyspace keyspace) {
    return new ChunkNames(
        null, null, List.of(1L, 2L, 3L, 4L, 5L, 6L, 7L, 8L, 9L), null, keyspace.toString());
  }

  /** SHA-256 of CBOR, written by hand: [bytes of the digest before, four tokens, null]. */
  private static byte[] block(byte[] before, int firstToken) throws Exception {
    ByteArrayOutputStream cbor = new ByteArrayOutputStream();
    cbor.writeBytes(new byte[] {(byte) 0x83, 0x58, 0x20});
    cbor.writeBytes(before);
    cbor.write(0x84);
    for (int i = 0; i < 4; i++) {
      cbor.write(firstToken + i);
    }
    cbor.write(0xf6);
    return MessageDigest.getInstance("SHA-256").digest(cbor.toByteArray());
  }

  @Test
  void tokensOfAnEngine_haveTheLastBitsOfItsDigests() throws Exception {
    byte[] none =
        MessageDigest.getInstance("SHA-256").digest("a0".getBytes(StandardCharsets.UTF_8));
    byte[] first = block(none, 1);
    byte[] second = block(first, 5);

    ChunkList found = reader.read(tokens(KEYSPACE));

    assertThat(found.hashBits())
        .containsExactly(ByteBuffer.wrap(first).getLong(24), ByteBuffer.wrap(second).getLong(24));
    assertThat(found.tokens(2)).isEqualTo(8);
  }

  @Test
  void engineWhoseHashIsntTold_isAskedByHashes() {
    assertThatThrownBy(() -> reader.read(tokens(Keyspace.ofEngine("other", 4))))
        .hasMessageContaining("keyspace");
  }
}
