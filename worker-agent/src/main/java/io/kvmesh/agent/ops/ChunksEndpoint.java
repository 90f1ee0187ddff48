package io.kvmesh.agent.ops;

import io.kvmesh.agent.cache.ChunkCache;
import io.kvmesh.common.key.ChunkKey;
import io.kvmesh.common.key.KeyFormatException;
import java.util.List;
import java.util.OptionalInt;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.actuate.endpoint.annotation.Endpoint;
import org.springframework.boot.actuate.endpoint.annotation.ReadOperation;
import org.springframework.boot.actuate.endpoint.annotation.Selector;
import org.springframework.boot.actuate.endpoint.web.WebEndpointResponse;

/** The actuator endpoint {@code chunks}: which chunks would go next, and whether one is here. */
@Endpoint(id = "chunks")
public final class ChunksEndpoint {

  private static final int DEFAULT_LISTED = 100;
  private static final int MOST_LISTED = 10_000;

  private final ChunkCache cache;

  /** Of a running agent. */
  public ChunksEndpoint(AgentParts parts) {
    this.cache = parts.cache();
  }

  /**
   * Some of the resident chunks.
   *
   * @param resident how many there are in all
   * @param nextToGo their keys in the policy's order, those that would go first
   */
  public record Listing(int resident, List<String> nextToGo) {}

  /** Whether a chunk is resident now. */
  public record Presence(String key, boolean resident) {}

  /** Why a request can't be answered. */
  public record Fault(String error) {}

  /**
   * The chunks that would go next, if nothing were used any more.
   *
   * @param first how many, {@value #DEFAULT_LISTED} if nothing is said
   */
  @ReadOperation
  public WebEndpointResponse<Object> listing(@Nullable String first) {
    OptionalInt most = first == null ? OptionalInt.of(DEFAULT_LISTED) : number(first);
    if (most.isEmpty() || most.getAsInt() < 1 || most.getAsInt() > MOST_LISTED) {
      return refusal("first must be 1 to %d, got '%s'".formatted(MOST_LISTED, first));
    }
    List<ChunkKey> keys = cache.snapshots().keysInPolicyOrder(most.getAsInt());
    return new WebEndpointResponse<>(
        new Listing(
            cache.stats().residentChunks(), keys.stream().map(ChunkKey::toString).toList()));
  }

  /**
   * Whether a chunk is here. It isn't a use.
   *
   * @param key as LMCache writes it, cut at slashes
   */
  @ReadOperation
  public WebEndpointResponse<Object> presence(
      @Selector(match = Selector.Match.ALL_REMAINING) String... key) {
    try {
      ChunkKey asked = ChunkKey.parse(String.join("/", key));
      return new WebEndpointResponse<>(new Presence(asked.toString(), cache.exists(asked)));
    } catch (KeyFormatException e) {
      return refusal(String.valueOf(e.getMessage()));
    }
  }

  private static OptionalInt number(String text) {
    try {
      return OptionalInt.of(Integer.parseInt(text));
    } catch (NumberFormatException e) {
      return OptionalInt.empty();
    }
  }

  private static WebEndpointResponse<Object> refusal(String error) {
    return new WebEndpointResponse<>(new Fault(error), WebEndpointResponse.STATUS_BAD_REQUEST);
  }
}
