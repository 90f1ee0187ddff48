package io.kvmesh.agent.transfer;

import io.kvmesh.agent.cache.ChunkLease;
import io.kvmesh.agent.cache.PendingChunk;
import io.kvmesh.common.count.Counters;
import io.kvmesh.common.key.ChunkKey;
import io.kvmesh.common.process.ParentWatch;
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * A test agent that is a process of its own: reads orders from its input, a line each, and answers
 * each with a line. It can be told to send itself a signal as soon as it has come to some stage of
 * what it does next. See {@link AgentProcess}.
 */
final class AgentChild {

  /** Begins what it answers. */
  static final String SAYS = "> ";

  static final int PAGES = 64;
  static final int PAGE_BYTES = 64 << 10;
  static final int BATCH_CHUNKS = 4;

  private final TestAgent agent;
  private GetAnswer.@Nullable Delivered borrowed;

  private AgentChild(TestAgent agent) {
    this.agent = agent;
  }

  /** Name and file of the agent, number of its life, process id of the launcher. */
  public static void main(String[] args) throws Exception {
    ParentWatch.start(Long.parseLong(args[3]));
    try (TestAgent agent = agent(args[0], Path.of(args[1])).start()) {
      agent.epoch.set(Long.parseLong(args[2]));
      say(agent.address());
      BufferedReader orders =
          new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
      AgentChild child = new AgentChild(agent);
      for (String order = orders.readLine(); order != null; order = orders.readLine()) {
        say(child.answer(order.split(" ", -1)));
      }
    }
  }

  /** Logs go the same way. */
  private static void say(String what) {
    System.out.println(SAYS + what);
  }

  /** As all agents of such a test are. */
  static TestAgentBuilder agent(String name, Path file) {
    return TestAgent.named(name)
        .pages(PAGES, PAGE_BYTES)
        .getBytes(BATCH_CHUNKS * PAGE_BYTES)
        .maxInFlight(BATCH_CHUNKS * PAGE_BYTES)
        .connectTimeout(Duration.ofSeconds(2))
        .putDeadline(Duration.ofSeconds(3))
        .hold(Duration.ofSeconds(3), 100)
        .file(file);
  }

  private String answer(String[] order) throws Exception {
    switch (order[0]) {
      case "store" -> agent.store(keys(order[1], order[2]));
      case "pull" -> {
        Duration atMost = Duration.ofMillis(Long.parseLong(order[4]));
        return agent.pull(order[1], keys(order[2], order[3]), atMost).toString();
      }
      case "borrow" -> {
        return borrow(order[1], keys(order[2], order[3]));
      }
      case "copy" -> {
        return copy(keys(order[1], order[2]));
      }
      case "move" -> {
        CompletableFuture<MoveReport> over = new CompletableFuture<>();
        agent.mover.begin(new MoveOrder("id", order[1], null, false), over::complete);
        return over.get().outcomes().toString();
      }
      case "has" -> {
        return keys(order[1], order[2]).stream().filter(agent.cache::exists).toList().toString();
      }
      case "settle" -> agent.requireSettled();
      case "at" -> at(stage(order[1], order[2]), Integer.parseInt(order[3]));
      default -> throw new IllegalArgumentException(order[0]);
    }
    return "ok";
  }

  private static List<ChunkKey> keys(String from, String count) {
    return TestAgent.keys(Long.parseLong(from), Integer.parseInt(count));
  }

  /** Asks for chunks and copies nothing yet: they stay on loan. */
  private String borrow(String peer, List<ChunkKey> keys) throws Exception {
    Deadline deadline = Deadline.after(Duration.ofSeconds(30), System::nanoTime);
    List<String> texts = keys.stream().map(ChunkKey::toString).toList();
    borrowed = (GetAnswer.Delivered) agent.client.get(peer, texts, deadline).get();
    return "" + borrowed.delivery().chunks();
  }

  /** Copies what is borrowed, and gives it back. */
  private String copy(List<ChunkKey> keys) {
    List<@Nullable MemorySegment> targets = new ArrayList<>();
    List<PendingChunk> rooms = new ArrayList<>();
    try (ChunkLease lease = agent.cache.newLease();
        Delivery delivery = Objects.requireNonNull(borrowed).delivery()) {
      for (ChunkKey key : keys) {
        rooms.add((PendingChunk) agent.cache.claim(key, PAGE_BYTES, TestAgent.TOKENS, lease));
        targets.add(rooms.getLast().body());
      }
      return delivery.copyTo(targets, agent.client.helpers()).toString();
    } finally {
      agent.cache.abort(rooms);
    }
  }

  /** The stage at which one more of this has been counted. */
  private BooleanSupplier stage(String side, String kind) {
    return switch (side) {
      case "served" -> more(agent.served, ServerCount.valueOf(kind));
      case "pulled" -> more(agent.pulled, PullCount.valueOf(kind));
      case "moved" -> more(agent.moved, MoveCount.valueOf(kind));
      default -> throw new IllegalArgumentException(side);
    };
  }

  private static <E extends Enum<E>> BooleanSupplier more(Counters<E> counters, E kind) {
    long before = counters.get(kind);
    return () -> counters.get(kind) > before;
  }

  private static void at(BooleanSupplier stage, int signal) {
    MethodHandle kill = kill();
    int self = Math.toIntExact(ProcessHandle.current().pid());
    Thread.ofPlatform()
        .daemon()
        .start(
            () -> {
              while (!stage.getAsBoolean()) {
                Thread.onSpinWait();
              }
              try {
                int _ = (int) kill.invokeExact(self, signal);
              } catch (Throwable e) {
                throw new IllegalStateException(e);
              }
            });
  }

  @SuppressWarnings("restricted")
  private static MethodHandle kill() {
    Linker linker = Linker.nativeLinker();
    return linker.downcallHandle(
        linker.defaultLookup().findOrThrow("kill"),
        FunctionDescriptor.of(ValueLayout.JAVA_INT, ValueLayout.JAVA_INT, ValueLayout.JAVA_INT));
  }
}
