package io.kvmesh.controller.index.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.kvmesh.common.key.Keyspace;
import io.kvmesh.common.key.WorkerId;
import org.junit.jupiter.api.Test;

final class RedisKeysTest {

  private static final Keyspace TAGGED = Keyspace.parse("llama@1@0@half@user%a:b");

  private final RedisKeys keys = new RedisKeys("fleet");

  @Test
  void allOfAWorker_hasOneHashTag() {
    WorkerId worker = new WorkerId("a", 3);
    String set = RedisKeys.set("LocalCPUBackend", TAGGED);

    assertThat(RedisKeys.text(keys.state(worker))).isEqualTo("fleet:{a/3}:state");
    assertThat(RedisKeys.text(keys.keys(worker, set)))
        .isEqualTo("fleet:{a/3}:keys:LocalCPUBackend:llama@1@0@half@user%a:b");
    assertThat(RedisKeys.text(keys.marks(worker, set))).startsWith("fleet:{a/3}:marks:");
  }

  @Test
  void bracesInAnInstanceId_dontEndTheHashTag() {
    assertThat(RedisKeys.text(keys.state(new WorkerId("}a{%", 0))))
        .isEqualTo("fleet:{%7da%7b%25/0}:state");
  }

  @Test
  void locationAndKeyspaceOfASet_areReadBack() {
    for (String location : new String[] {"LocalCPUBackend", "a:b", "%3a", "%25:", ""}) {
      String set = RedisKeys.set(location, TAGGED);

      assertThat(RedisKeys.locationOf(set)).isEqualTo(location);
      assertThat(RedisKeys.keyspaceOf(set)).isEqualTo(TAGGED);
    }
  }
}
