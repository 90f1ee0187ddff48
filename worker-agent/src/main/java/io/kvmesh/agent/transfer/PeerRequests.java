package io.kvmesh.agent.transfer;

import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** The requests that wait for one peer's answer, by id. One thread. */
final class PeerRequests {

  /** A request for chunks; its future is completed once, by whoever is first. */
  static final class Request {
    private final List<String> keys;
    private final Deadline deadline;
    private final CompletableFuture<GetAnswer> answer = new CompletableFuture<>();
    private long sentNanos;

    Request(List<String> keys, Deadline deadline) {
      this.keys = keys;
      this.deadline = deadline;
    }

    List<String> keys() {
      return keys;
    }

    Deadline deadline() {
      return deadline;
    }

    CompletableFuture<GetAnswer> answer() {
      return answer;
    }

    long sentNanos() {
      return sentNanos;
    }

    void sentAt(long nanos) {
      sentNanos = nanos;
    }

    /** Gives the receive buffers back where nobody waits any more; answers whether somebody did. */
    boolean complete(GetAnswer with) {
      boolean awaited = answer.complete(with);
      if (!awaited) {
        with.release();
      }
      return awaited;
    }
  }

  private final Map<Long, Request> byId = new HashMap<>();

  int size() {
    return byId.size();
  }

  void add(long id, Request request) {
    byId.put(id, request);
  }

  @Nullable Request remove(long id) {
    return byId.remove(id);
  }

  /** Ends those whose deadline has passed; the answer is when the last of them was sent, or 0. */
  long expire() {
    long lastSent = 0;
    Iterator<Request> requests = byId.values().iterator();
    while (requests.hasNext()) {
      Request request = requests.next();
      if (request.deadline().passed()) {
        requests.remove();
        request.complete(new GetAnswer.Expired());
        lastSent = Math.max(lastSent, request.sentNanos());
      }
    }
    return lastSent;
  }

  /** Ends all. */
  void failAll(GetAnswer with) {
    List<Request> all = List.copyOf(byId.values());
    byId.clear();
    all.forEach(request -> request.complete(with));
  }
}
