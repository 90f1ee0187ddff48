package io.kvmesh.agent.engine.resp;

import io.kvmesh.agent.engine.tcp.DoorCount;
import io.kvmesh.common.count.Counters;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;

/** Whether a client has said who it is. Belongs to the connection's thread. */
final class RespLogin {

  private final byte[] username;
  private final byte[] password;
  private final Counters<DoorCount> counters;
  private boolean done;

  RespLogin(RespSettings settings, Counters<DoorCount> counters) {
    this.username = settings.username().getBytes(StandardCharsets.UTF_8);
    this.password = settings.password().getBytes(StandardCharsets.UTF_8);
    this.counters = counters;
    this.done = password.length == 0;
  }

  boolean isDone() {
    return done;
  }

  void require() throws RespError {
    if (!done) {
      throw refused("NOAUTH", "Authentication required.");
    }
  }

  private RespError refused(String word, String what) {
    counters.count(DoorCount.AUTH_REFUSED);
    return RespError.counted(word, what);
  }

  /** A password, or a name and a password. */
  void auth(RespRequest request, RespReplies out) throws IOException, RespError {
    if (request.left() == 1 && password.length == 0) {
      throw RespError.of(
          "AUTH <password> called without any password configured for the default user. Are you"
              + " sure your configuration is correct?");
    }
    byte[] name = request.left() == 1 ? username : request.next();
    check(name, request.next());
    out.ok();
  }

  /**
   * Who it is.
   *
   * @throws RespError if that isn't so; who was known before, still is
   */
  void check(byte[] name, byte[] secret) throws RespError {
    boolean isUser = MessageDigest.isEqual(name, username);
    boolean isRight = MessageDigest.isEqual(secret, password) || password.length == 0;
    if (!isUser || !isRight) {
      throw refused("WRONGPASS", "invalid username-password pair or user is disabled.");
    }
    counters.count(DoorCount.AUTH);
    done = true;
  }
}
