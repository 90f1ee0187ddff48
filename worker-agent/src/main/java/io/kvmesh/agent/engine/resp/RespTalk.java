package io.kvmesh.agent.engine.resp;

import io.kvmesh.agent.engine.tcp.BadRequestException;
import io.kvmesh.agent.engine.tcp.ChunkDesk;
import io.kvmesh.agent.engine.tcp.DoorCount;
import io.kvmesh.agent.engine.tcp.TcpConnection;
import io.kvmesh.agent.engine.tcp.TcpProtocol;
import java.io.IOException;
import org.jspecify.annotations.Nullable;

/** What one client and this side say. Belongs to the connection's thread. */
final class RespTalk implements TcpProtocol.Talk {

  private static final int MAX_INLINE_BYTES = TcpConnection.BUFFER_BYTES - 2;

  /** Of who hasn't said who it is, as at Redis. */
  private static final int MAX_ARGUMENTS_OF_ANYBODY = 10;

  private static final int MAX_SHOWN = 128;

  private final TcpConnection client;
  private final RespSettings settings;
  private final ChunkDesk desk;
  private final RespChunks chunks;
  private final RespReplies out;
  private final RespLogin login;
  private final RespClient known;

  RespTalk(
      TcpConnection client, long id, RespSettings settings, ChunkDesk desk, RespChunks chunks) {
    this.client = client;
    this.settings = settings;
    this.desk = desk;
    this.chunks = chunks;
    this.out = new RespReplies(client);
    this.login = new RespLogin(settings, desk.counters());
    this.known = new RespClient(id, login);
  }

  @Override
  public boolean serve() throws IOException, InterruptedException {
    try {
      RespRequest request = read();
      return request == null || serve(request);
    } catch (BadRequestException e) {
      out.error("ERR Protocol error: " + e.getMessage());
      throw e;
    }
  }

  /** Null if it asks for nothing. */
  private @Nullable RespRequest read() throws IOException {
    var in = client.require(1);
    if (in.get(in.position()) != '*') {
      RespRequest line = InlineRequest.of(client.line(MAX_INLINE_BYTES));
      return line.left() == 0 ? null : line;
    }
    boolean isKnown = login.isDone();
    long count = BulkRequest.number(client, '*', "multibulk");
    if (count > (isKnown ? settings.maxArguments() : MAX_ARGUMENTS_OF_ANYBODY)) {
      throw new BadRequestException("invalid multibulk length");
    }
    long maxBytes = isKnown ? settings.maxBodyBytes() : RespRequest.MAX_ARGUMENT_BYTES;
    return count < 1 ? null : new BulkRequest(client, (int) count, maxBytes);
  }

  private boolean serve(RespRequest request) throws IOException, InterruptedException {
    try {
      RespCommand command = command(request);
      serve(command, request);
      request.skipRest();
      return command != RespCommand.QUIT;
    } catch (RespError e) {
      request.skipRest();
      if (!e.isCounted()) {
        desk.counters().count(DoorCount.BAD_REQUEST);
      }
      out.error(e.reply());
      return true;
    }
  }

  private RespCommand command(RespRequest request) throws IOException, RespError {
    String name = request.nextText();
    RespCommand command =
        RespCommand.of(name)
            .orElseThrow(
                () ->
                    RespError.of(
                        "unknown command '%s'"
                            .formatted(name.substring(0, Math.min(name.length(), MAX_SHOWN)))));
    if (!command.takes(request.left())) {
      throw RespError.wrongNumber(command);
    }
    if (!command.isForAnybody()) {
      login.require();
    }
    return command;
  }

  private void serve(RespCommand command, RespRequest request)
      throws IOException, InterruptedException, RespError {
    switch (command) {
      case GET -> chunks.get(request, out);
      case SET -> chunks.set(request, out);
      case EXISTS -> chunks.exists(request, out);
      case DEL -> chunks.del(request, out);
      case MGET -> chunks.mget(request, out);
      case STRLEN -> chunks.strlen(request, out);
      case AUTH -> login.auth(request, out);
      default -> {
        serveOther(command, request);
        desk.counters().count(DoorCount.OTHER);
      }
    }
  }

  private void serveOther(RespCommand command, RespRequest request) throws IOException, RespError {
    switch (command) {
      case PING -> ping(request);
      case ECHO -> out.bulk(request.next());
      case HELLO -> known.hello(request, out);
      case SELECT -> select(request);
      case CLIENT -> known.client(request, out);
      case COMMAND -> RespManual.command(request.restTexts(), out);
      case INFO -> out.text(RespManual.info(request.restTexts(), desk));
      case DBSIZE -> out.number(desk.chunks());
      case QUIT -> out.ok();
      default -> throw new IllegalStateException("Nobody serves " + command);
    }
  }

  private void ping(RespRequest request) throws IOException, RespError {
    if (request.left() == 0) {
      out.simple("PONG");
    } else {
      out.bulk(request.next());
    }
  }

  private void select(RespRequest request) throws IOException, RespError {
    String number = request.nextText();
    if (!number.matches("-?[0-9]{1,9}")) {
      throw RespError.of("value is not an integer or out of range");
    }
    if (Integer.parseInt(number) != 0) {
      throw RespError.of("DB index is out of range");
    }
    out.ok();
  }
}
