package io.kvmesh.agent.transfer;

import io.kvmesh.common.trace.Traceparent;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** The requests that wait for one peer's answer, by id. One thread. */
final class PeerRequests {

  /** A request; its future is completed once, by whoever is first. */
  abstract static sealed class Request {
    private final Deadline deadline;
    private long sentNanos;

    private Request(Deadline deadline) {
      this.deadline = deadline;
    }

    final Deadline deadline() {
      return deadline;
    }

    final long sentNanos() {
      return sentNanos;
    }

    final void sentAt(long nanos) {
      sentNanos = nanos;
    }

    /** Whether nobody waits for it any more. */
    abstract boolean isDone();

    /** Ends it without what was asked for; answers whether somebody waited. */
    abstract boolean fail(GetAnswer why);
  }

  /** A request for chunks. */
  static final class Get extends Request {
    private final List<String> keys;
    private final @Nullable Traceparent parent;
    private final CompletableFuture<GetAnswer> answer = new CompletableFuture<>();

    Get(List<String> keys, @Nullable Traceparent parent, Deadline deadline) {
      super(deadline);
      this.keys = keys;
      this.parent = parent;
    }

    /** Whether it only wants to know whether the peer answers; nobody else asks for nothing. */
    boolean isProbe() {
      return keys.isEmpty();
    }

    List<String> keys() {
      return keys;
    }

    /** The span that it belongs to. */
    @Nullable Traceparent parent() {
      return parent;
    }

    CompletableFuture<GetAnswer> answer() {
      return answer;
    }

    /** Gives the receive buffers back where nobody waits any more; answers whether somebody did. */
    boolean complete(GetAnswer with) {
      boolean awaited = answer.complete(with);
      if (!awaited) {
        with.release();
      }
      return awaited;
    }

    @Override
    boolean isDone() {
      return answer.isDone();
    }

    @Override
    boolean fail(GetAnswer why) {
      return complete(why);
    }
  }

  /** A request to take chunks. */
  static final class Put extends Request {
    private final PutBatch batch;
    private final CompletableFuture<PutAnswer> answer = new CompletableFuture<>();

    Put(PutBatch batch, Deadline deadline) {
      super(deadline);
      this.batch = batch;
    }

    PutBatch batch() {
      return batch;
    }

    CompletableFuture<PutAnswer> answer() {
      return answer;
    }

    @Override
    boolean isDone() {
      return answer.isDone();
    }

    @Override
    boolean fail(GetAnswer why) {
      return answer.complete(new PutAnswer.Failed(why));
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
        request.fail(new GetAnswer.Expired());
        lastSent = Math.max(lastSent, request.sentNanos());
      }
    }
    return lastSent;
  }

  /** Ends all. */
  void failAll(GetAnswer with) {
    List<Request> all = List.copyOf(byId.values());
    byId.clear();
    all.forEach(request -> request.fail(with));
  }
}
