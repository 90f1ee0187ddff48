package io.kvmesh.quickstart;

import io.kvmesh.common.client.EngineBody;
import io.kvmesh.common.client.EngineClient;
import io.kvmesh.common.client.EngineClientException;
import io.kvmesh.common.client.RetrievedChunks;
import io.kvmesh.common.key.ChunkKey;
import io.kvmesh.common.key.Keyspace;
import io.kvmesh.common.zmq.ZmqSockets;
import io.kvmesh.quickstart.body.ChunkBodies;
import io.kvmesh.quickstart.fleet.Fleet;
import io.kvmesh.quickstart.fleet.FleetSettings;
import io.kvmesh.quickstart.fleet.Http;
import io.kvmesh.quickstart.fleet.Member;
import io.kvmesh.quickstart.replay.Keys;
import io.kvmesh.quickstart.workload.Prompt;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.LongStream;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ObjectNode;

/**
 * Stores, retrieves and looks from outside at who has what: what the agents themselves say, and
 * what the controller's view says. Owned by the thread of its test.
 */
final class FleetProbe implements AutoCloseable {

  private static final Keyspace KEYSPACE = FleetReplay.keyspace(FleetSettings.MODEL);
  private static final Duration TIMEOUT = Duration.ofSeconds(20);

  private final Fleet fleet;
  private final Http http;
  private final ChunkBodies bodies;
  private final ZmqSockets sockets = new ZmqSockets();
  private final Keys keys = new Keys(KEYSPACE);

  FleetProbe(Fleet fleet, Http http, int pageBytes) {
    this.fleet = fleet;
    this.http = http;
    this.bodies = new ChunkBodies(pageBytes);
  }

  /** Keys of the blocks {@code from} to before {@code to}, in order. */
  List<ChunkKey> keys(long from, long to) {
    return keys.of(new Prompt(LongStream.range(from, to).toArray()));
  }

  /** Stores all of them, a part at a time. */
  void store(Member agent, List<ChunkKey> chunks) throws Exception {
    try (EngineClient engine = open(agent)) {
      int step = Math.max(1, (8 << 20) / bodies.bytes());
      for (int from = 0; from < chunks.size(); from += step) {
        List<ChunkKey> part = chunks.subList(from, Math.min(from + step, chunks.size()));
        engine.store(part.stream().map(this::chunk).toList(), TIMEOUT);
      }
    }
  }

  private EngineBody chunk(ChunkKey key) {
    MemorySegment body = MemorySegment.ofArray(bodies.body(key.hash().bits()));
    return new EngineBody(key, body, FleetSettings.CHUNK_TOKENS);
  }

  /**
   * What came of a retrieve.
   *
   * @param local chunks that the agent had itself
   * @param peer chunks that came from others
   * @param peerOutcome why no more
   */
  record Retrieved(int local, int peer, String peerOutcome) {

    int chunks() {
      return local + peer;
    }
  }

  /** Retrieves a prefix and compares every body. */
  Retrieved retrieve(Member agent, List<ChunkKey> chunks, Duration deadline) throws Exception {
    try (EngineClient engine = open(agent);
        RetrievedChunks found = engine.retrieve(chunks, deadline, TIMEOUT)) {
      for (int i = 0; i < found.size(); i++) {
        byte[] body = new byte[found.body(i).remaining()];
        found.body(i).get(body);
        if (bodies.firstDifference(chunks.get(i).hash().bits(), body) >= 0) {
          throw new AssertionError("wrong body of chunk " + i);
        }
      }
      int local = found.local();
      return new Retrieved(local, found.size() - local, found.peerOutcome());
    }
  }

  /** Which of these chunks each agent says that it has. */
  Map<String, Set<String>> inventory(List<ChunkKey> chunks) throws Exception {
    Set<String> wanted = new HashSet<>();
    chunks.forEach(chunk -> wanted.add(chunk.toString()));
    Map<String, Set<String>> inventory = new HashMap<>();
    for (Member agent : fleet.agents()) {
      inventory.put(agent.name(), inventory(agent, wanted));
    }
    return inventory;
  }

  /** The same, asked chunk by chunk: for caches of which a listing doesn't hold all. */
  Map<String, Set<String>> presence(List<ChunkKey> chunks) throws InterruptedException {
    Map<String, Set<String>> presence = new HashMap<>();
    for (Member agent : fleet.agents()) {
      Set<String> resident = new TreeSet<>();
      for (ChunkKey chunk : chunks) {
        if (isPresent(agent, chunk)) {
          resident.add(text(chunk));
        }
      }
      presence.put(agent.name(), resident);
    }
    return presence;
  }

  private boolean isPresent(Member agent, ChunkKey chunk) throws InterruptedException {
    String management = agent.address(Fleet.MANAGEMENT);
    return http.get(management, "/actuator/chunks/" + chunk)
        .orElseThrow()
        .path("resident")
        .asBoolean();
  }

  /** Which of these chunks one agent says that it has. */
  Set<String> inventory(Member agent, List<ChunkKey> chunks) throws Exception {
    Set<String> wanted = new HashSet<>();
    chunks.forEach(chunk -> wanted.add(chunk.toString()));
    return inventory(agent, wanted);
  }

  private Set<String> inventory(Member agent, Set<String> wanted) throws InterruptedException {
    Set<String> resident = new TreeSet<>();
    for (JsonNode key : listing(agent).path("nextToGo")) {
      if (wanted.contains(key.asString())) {
        resident.add(text(ChunkKey.parse(key.asString())));
      }
    }
    return resident;
  }

  private JsonNode listing(Member agent) throws InterruptedException {
    String management = agent.address(Fleet.MANAGEMENT);
    return http.get(management, "/actuator/chunks?first=10000").orElseThrow();
  }

  /** Which of these chunks the first controller's view places at each agent, if it is ready. */
  Optional<Map<String, Set<String>>> index(List<ChunkKey> chunks) throws InterruptedException {
    return index(fleet.controller(), chunks);
  }

  /** Which of these chunks a controller's view places at each agent; empty if it isn't ready. */
  Optional<Map<String, Set<String>>> index(Member controller, List<ChunkKey> chunks)
      throws InterruptedException {
    ObjectNode request = JsonMapper.shared().createObjectNode();
    request.put("keyspace", KEYSPACE.toString());
    chunks.forEach(chunk -> request.withArray("hashes").add(text(chunk)));
    String rest = controller.address(Fleet.REST);
    return http.post(rest, "/api/v1/holders", request).map(this::placements);
  }

  private Map<String, Set<String>> placements(JsonNode answer) {
    Map<String, Set<String>> index = new HashMap<>();
    fleet.agents().forEach(agent -> index.put(agent.name(), new TreeSet<>()));
    for (JsonNode chunk : answer.path("chunks")) {
      for (JsonNode holder : chunk.path("holders")) {
        index
            .computeIfAbsent(holder.path("instanceId").asString(), _ -> new TreeSet<>())
            .add(chunk.path("hash").asString());
      }
    }
    return index;
  }

  private EngineClient open(Member agent) throws EngineClientException, InterruptedException {
    return EngineClient.open(sockets, FleetReplay.door(agent).withTimeout(TIMEOUT));
  }

  /** Its hash as REST and {@link RedisView} write it. */
  static String text(ChunkKey chunk) {
    return Long.toUnsignedString(chunk.hash().bits());
  }

  @Override
  public void close() {
    sockets.close();
  }
}
