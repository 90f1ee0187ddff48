package io.kvmesh.helm;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Values that are wrong, and what is said of them. */
class RefusedValuesTest {

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "agents.gpuPerNode=4 | gpuPerNode",
        "controler.replicas=2 | controler",
        "agents.kind=Deployment | 'StatefulSet'",
        "agents.gpusPerNode=0 | /agents/gpusPerNode",
        "agents.gpusPerNode=two | want integer",
        "agents.memory.capacity=64GB | /agents/memory/capacity",
        "agents.memory.volume=disk | 'hugepages'",
        "agents.settings.cache\\.policy=lru | cache.policy",
        "agents.ranksPerInstance=3 | must be a multiple of agents.ranksPerInstance (3)",
        "agents.ports.lookup=8200 | agents.ports.lookup of GPU 0 are both 8200",
        "agents.ports.stride=1 | are both",
        "agents.ports.engine=65530 | above 65535",
        "agents.memory.numaNodes[0]=0 | must have one node for each",
        "agents.memory.reserve=511Mi | agents.memory.reserve (511Mi) must be at least 512Mi",
        "controller.heapPercent=76 | leaves 491Mi of controller.resources.limits.memory (2Gi)",
        "agents.preStopSeconds=60 | must be at least agents.preStopSeconds + agents.drainSeconds +"
            + " 15 (95)",
        "controller.enabled=false | agents.controllers must name controllers",
        "controller.replicas=0 | /controller/replicas",
        "controller.antiAffinity=yes | 'preferred'",
        "controller.engines[0].model=llama | 'instance-id'",
        "controller.autoscaling.minReplicas=50,controller.autoscaling.enabled=true | must not"
            + " exceed maxReplicas",
        "kafka.bootstrapServers=kafka | /kafka/bootstrapServers",
        "kafka.bootstrapServers= | must name a Kafka",
        "kafka.trial.enabled=true | exclude each other",
        "redis.uri=redis:6379 | /redis/uri",
        "redis.uri=redis://:secret@redis:6379 | /redis/uri",
        "redis.username=me | needs redis.passwordSecret.name",
        "model.name= | model.name must be set",
        "model.layers=0 | model.pageBytes must be set",
        "networkPolicy.restFrom[0].podselector.a=b | podselector",
        "networkPolicy.nodeCidrs[0]=10.0.0.0 | /networkPolicy/nodeCidrs/0",
        "image.registry=registry.example.com | /image/registry",
        "monitoring.interval=15 | /monitoring/interval",
        "tracing.otlpEndpoint=collector:4318 | /tracing/otlpEndpoint",
        "tracing.sampling=2 | /tracing/sampling",
      })
  void value_thatIsWrong_isRefusedByName(String setting, String message) {
    assertThatThrownBy(() -> Chart.text("minimal", setting.split(",(?=controller)")))
        .hasMessageContaining(message);
  }

  @Test
  void faults_areToldTogether() {
    assertThatThrownBy(() -> Chart.text("minimal", "model.name=", "kafka.bootstrapServers="))
        .hasMessageContaining("model.name must be set")
        .hasMessageContaining("kafka.bootstrapServers must name");
  }
}
