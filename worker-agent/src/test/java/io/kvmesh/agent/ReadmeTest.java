package io.kvmesh.agent;

import static org.assertj.core.api.Assertions.assertThat;

import io.kvmesh.agent.config.Agent;
import io.kvmesh.agent.config.SettingsLoader;
import io.kvmesh.agent.directory.Holder;
import io.kvmesh.agent.directory.LookupOutcome;
import io.kvmesh.agent.directory.PeerDirectory;
import io.kvmesh.agent.ops.AccessProblems;
import io.kvmesh.agent.ops.AgentMeters;
import io.kvmesh.agent.ops.Latencies;
import io.kvmesh.agent.transfer.PullCount;
import io.kvmesh.common.key.ChunkHash;
import io.kvmesh.common.key.Keyspace;
import io.kvmesh.common.trace.Traces;
import io.kvmesh.common.wire.KVOpEvent;
import io.kvmesh.common.wire.KVOperations;
import io.kvmesh.common.wire.Message;
import io.kvmesh.common.wire.engine.EngineReply;
import io.kvmesh.common.wire.engine.EngineRequest;
import io.kvmesh.common.wire.event.LogEvent;
import io.kvmesh.program.trace.SpanLosses;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import java.io.IOException;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.RecordComponent;
import java.lang.reflect.Type;
import java.time.Duration;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.springframework.mock.env.MockEnvironment;

/** What the README says of the agent, compared with the code. */
class ReadmeTest {

  @Test
  void settings_areThoseOfTheReadme() throws IOException {
    Readme.requireRows("agent-settings", Readme.settings());
  }

  @Test
  void metrics_areThoseOfTheReadme() throws Exception {
    PrometheusMeterRegistry registry = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
    Latencies latencies = new Latencies(registry);
    EnumSet.range(PullCount.HIT, PullCount.BROKEN).forEach(kind -> latencies.pulled(kind, 1));
    ask(latencies);
    MockEnvironment settings =
        new MockEnvironment()
            .withProperty("kvmesh.model.name", "m")
            .withProperty("kvmesh.model.page-bytes", "64KB")
            .withProperty("kvmesh.cache.capacity-bytes", "64KB")
            .withProperty("kvmesh.peer.advertised-host", "a");
    Agent agent = new Agent(SettingsLoader.load(settings), latencies, Traces.off(), null, List::of);
    AgentMeters meters = new AgentMeters(agent.parts());

    meters.bindTo(registry);
    new AccessProblems().bindTo(registry);
    new SpanLosses("kvmesh.agent.trace.spans.lost").bindTo(registry);

    Readme.requireRows("agent-metrics", Readme.metrics(registry.scrape()));
  }

  private static void ask(Latencies latencies) throws InterruptedException {
    List<LookupOutcome> outcomes =
        List.of(
            new LookupOutcome.Found(List.of(new Holder("A", "l", 1, "a:1", -1))),
            new LookupOutcome.Miss(),
            new LookupOutcome.Rejected(""),
            new LookupOutcome.NotReady(),
            new LookupOutcome.Unavailable(""),
            new LookupOutcome.TimedOut());
    assertThat(outcomes)
        .extracting(Object::getClass)
        .containsExactlyInAnyOrderElementsOf(records(LookupOutcome.class).toList());
    for (LookupOutcome outcome : outcomes) {
      PeerDirectory directory = (keyspace, hashes, atMost) -> outcome;
      latencies.timed(directory).lookup(Keyspace.foreign(0), List.of(), Duration.ZERO);
    }
  }

  private static Stream<Class<?>> records(Class<?> family) {
    return family.isRecord()
        ? Stream.of(family)
        : Stream.of(family.getPermittedSubclasses()).flatMap(ReadmeTest::records);
  }

  @Test
  void engineMessages_areThoseOfTheReadme() throws IOException {
    requireMessages("engine-requests", EngineRequest.class);
    requireMessages("engine-replies", EngineReply.class);
  }

  @Test
  void logRecords_areThoseOfTheReadme() throws IOException {
    requireMessages("log-records", LogEvent.class);
  }

  /** The first two cells of each row are a message's type and fields. */
  private static void requireMessages(String table, Class<? extends Message> family)
      throws IOException {
    List<String> rows =
        Readme.rows(table).stream()
            .map(row -> row.substring(0, row.indexOf(" | ", row.indexOf(" | ") + 1)))
            .toList();
    assertThat(rows)
        .as("table '%s'", table)
        .containsExactlyInAnyOrderElementsOf(
            Stream.of(family.getPermittedSubclasses())
                .map(message -> "| `" + message.getSimpleName() + "` | " + fields(message))
                .toList());
  }

  private static String fields(Class<?> message) {
    return Arrays.stream(message.getRecordComponents())
        .filter(field -> !isOfEveryRecord(message, field))
        .map(field -> "`" + name(field) + "` " + type(field.getGenericType()))
        .collect(Collectors.joining(", "));
  }

  private static boolean isOfEveryRecord(Class<?> message, RecordComponent field) {
    return LogEvent.class.isAssignableFrom(message)
        && List.of("format", "instanceId", "workerId", "epoch").contains(field.getName());
  }

  private static String name(RecordComponent field) {
    return field.getName().replaceAll("([A-Z])", "_$1").toLowerCase(Locale.ROOT);
  }

  private static String type(Type type) {
    if (type instanceof ParameterizedType list) {
      return "[" + type(list.getActualTypeArguments()[0]) + "]";
    }
    if (List.of(long.class, int.class, Integer.class, Long.class, ChunkHash.class).contains(type)) {
      return "int";
    }
    if (type == KVOperations.class) {
      return "[" + type(KVOpEvent.class) + "]";
    }
    if (type == boolean.class || type == Boolean.class) {
      return "bool";
    }
    Class<?> other = (Class<?>) type;
    return other == String.class || other.isEnum() ? "str" : other.getSimpleName();
  }
}
