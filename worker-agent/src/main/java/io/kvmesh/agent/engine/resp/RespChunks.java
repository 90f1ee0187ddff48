package io.kvmesh.agent.engine.resp;

import io.kvmesh.agent.cache.BodyForm;
import io.kvmesh.agent.cache.ChunkLease;
import io.kvmesh.agent.cache.Claim;
import io.kvmesh.agent.cache.CommitOutcome;
import io.kvmesh.agent.cache.PendingChunk;
import io.kvmesh.agent.engine.tcp.ChunkDesk;
import io.kvmesh.agent.engine.tcp.DoorCount;
import io.kvmesh.agent.engine.tcp.DoorRequest;
import io.kvmesh.common.key.ChunkKey;
import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;

/** The commands that have to do with chunks. Any thread. */
final class RespChunks {

  private final ChunkDesk desk;
  private final HalfPairs pairs;

  RespChunks(ChunkDesk desk, HalfPairs pairs) {
    this.desk = desk;
    this.pairs = pairs;
  }

  void get(RespRequest request, RespReplies out)
      throws IOException, InterruptedException, RespError {
    RespName name = RespName.of(request.nextText());
    try (DoorRequest asked = desk.begin("resp get")) {
      value(name, asked, out);
    }
  }

  /** One deadline for all that has to come from peers. */
  void mget(RespRequest request, RespReplies out)
      throws IOException, InterruptedException, RespError {
    List<RespName> names = names(request);
    out.array(names.size());
    try (DoorRequest asked = desk.begin("resp mget")) {
      for (RespName name : names) {
        value(name, asked, out);
      }
    }
  }

  private static List<RespName> names(RespRequest request) throws IOException, RespError {
    List<RespName> names = new ArrayList<>(request.left());
    while (request.left() > 0) {
      names.add(RespName.of(request.nextText()));
    }
    return names;
  }

  private void value(RespName name, DoorRequest asked, RespReplies out)
      throws IOException, InterruptedException {
    try (ChunkLease lease = desk.get(name.chunk(), asked)) {
      Optional<PairMetadata> metadata = metadata(name, lease);
      if (lease.size() == 0 || (name.isMetadata() && metadata.isEmpty())) {
        out.none();
      } else if (metadata.isPresent()) {
        out.bulk(metadata.get().write());
      } else {
        desk.counters().add(DoorCount.BYTE_OUT, lease.bytes(0));
        out.body(lease.body(0));
      }
    }
  }

  /** What is to be told instead of the body; empty = nothing, or it isn't known. */
  private Optional<PairMetadata> metadata(RespName name, ChunkLease lease) {
    return lease.size() == 0 || !name.isMetadata()
        ? Optional.empty()
        : desk.form(lease, form -> true).map(form -> new PairMetadata(lease.bytes(0), form));
  }

  void strlen(RespRequest request, RespReplies out)
      throws IOException, InterruptedException, RespError {
    RespName name = RespName.of(request.nextText());
    try (DoorRequest asked = desk.begin("resp strlen");
        ChunkLease lease = desk.get(name.chunk(), asked)) {
      int ofBody = lease.size() == 0 || name.isMetadata() ? 0 : lease.bytes(0);
      out.number(metadata(name, lease).map(it -> it.write().length).orElse(ofBody));
    }
  }

  void exists(RespRequest request, RespReplies out)
      throws IOException, InterruptedException, RespError {
    List<RespName> names = names(request);
    int found = 0;
    try (DoorRequest asked = desk.begin("resp exists")) {
      for (RespName name : names) {
        found += exists(name, asked) ? 1 : 0;
      }
    }
    out.number(found);
  }

  private boolean exists(RespName name, DoorRequest asked) throws InterruptedException {
    return desk.exists(name.chunk(), asked) && !(name.isMetadata() && isFormless(name.chunk()));
  }

  /** What is here and whose metadata nobody knows has none. */
  private boolean isFormless(ChunkKey chunk) {
    return desk.isHere(chunk) && desk.formHere(chunk).isEmpty();
  }

  void del(RespRequest request, RespReplies out) throws IOException, RespError {
    Set<RespName> names = new LinkedHashSet<>(names(request));
    long here = names.stream().filter(name -> desk.isHere(name.chunk())).count();
    names.stream().map(RespName::chunk).distinct().forEach(this::delete);
    out.number(here);
  }

  private void delete(ChunkKey chunk) {
    pairs.forget(chunk);
    desk.delete(chunk);
  }

  void set(RespRequest request, RespReplies out)
      throws IOException, InterruptedException, RespError {
    RespName name = RespName.of(request.nextText());
    if (name.isMetadata()) {
      byte[] value = request.next();
      requireOptions(request);
      setMetadata(name.chunk(), PairMetadata.read(value));
    } else {
      setBody(name, request);
    }
    out.ok();
  }

  private void setMetadata(ChunkKey chunk, PairMetadata metadata) throws RespError {
    if (desk.describe(chunk, metadata.length(), metadata.form())) {
      pairs.forget(chunk);
      return;
    }
    Optional<PendingChunk> body = pairs.match(chunk, metadata);
    if (body.isPresent()) {
      commit(body.get(), metadata.form());
    }
  }

  private void setBody(RespName name, RespRequest request)
      throws IOException, InterruptedException, RespError {
    int bytes = request.open();
    Claim claim = desk.claim(name.chunk(), bytes);
    if (claim instanceof PendingChunk body) {
      fill(body, request);
      store(name, body);
    } else {
      request.skip();
      pairs.forget(name.chunk());
      throw refused(claim, bytes);
    }
  }

  private void fill(PendingChunk body, RespRequest request) throws IOException, RespError {
    boolean whole = false;
    try {
      request.fill(body.body());
      requireOptions(request);
      whole = true;
    } finally {
      if (!whole) {
        desk.abort(body);
      }
    }
  }

  /** The body of a pair whose metadata isn't known waits for it. */
  private void store(RespName name, PendingChunk body) throws RespError {
    if (name.part() == RespName.Part.WHOLE) {
      pairs.forget(name.chunk());
      commit(body);
      return;
    }
    Optional<BodyForm> alike = desk.formHere(name.chunk(), body.bytes());
    if (alike.isPresent()) {
      pairs.forget(name.chunk());
      commit(body, alike.get());
      return;
    }
    Optional<PairMetadata> metadata = pairs.match(body);
    if (metadata.isPresent()) {
      commit(body, metadata.get().form());
    }
  }

  private void commit(PendingChunk body, BodyForm form) throws RespError {
    desk.describe(body, form);
    commit(body);
  }

  private void commit(PendingChunk body) throws RespError {
    CommitOutcome outcome = desk.commit(body);
    if (outcome != CommitOutcome.STORED && outcome != CommitOutcome.RESIDENT) {
      throw RespError.counted("ERR", "not kept: this agent keeps nothing, or is closing");
    }
  }

  private static RespError refused(Claim claim, int bytes) {
    return switch (claim) {
      case Claim.NoSpace noSpace ->
          RespError.counted("OOM", "no room for %d bytes: nothing may go".formatted(bytes));
      case Claim.TooLarge tooLarge ->
          RespError.counted("ERR", "%d bytes are more than a chunk may have".formatted(bytes));
      case Claim.Unfull unfull ->
          RespError.counted("ERR", "%d bytes are a part of a chunk: not kept".formatted(bytes));
      case Claim.WrongSize wrongSize ->
          RespError.counted("ERR", "no chunk has %d bytes".formatted(bytes));
      default -> RespError.counted("ERR", "not kept: this agent keeps nothing, or is closing");
    };
  }

  /** Times to live, which are taken and not kept: what is least of use goes first here. */
  private static void requireOptions(RespRequest request) throws IOException, RespError {
    while (request.left() > 0) {
      switch (request.nextText().toUpperCase(Locale.ROOT)) {
        case "KEEPTTL" -> {}
        case "EX", "PX", "EXAT", "PXAT" -> requireTime(request);
        default -> throw RespError.of("syntax error: SET takes EX, PX, EXAT, PXAT and KEEPTTL");
      }
    }
  }

  private static void requireTime(RespRequest request) throws IOException, RespError {
    if (request.left() == 0 || !request.nextText().matches("0*[1-9][0-9]{0,17}")) {
      throw RespError.of("invalid expire time in 'set' command");
    }
  }
}
