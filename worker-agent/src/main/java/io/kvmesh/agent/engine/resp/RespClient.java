package io.kvmesh.agent.engine.resp;

import java.io.IOException;
import java.util.Locale;

/** What a client tells of itself, and is told about its connection. */
final class RespClient {

  private static final int VERSION = 2;

  private final long id;
  private final RespLogin login;
  private String name = "";

  RespClient(long id, RespLogin login) {
    this.id = id;
    this.login = login;
  }

  /** HELLO [version [AUTH name password] [SETNAME name]]. */
  void hello(RespRequest request, RespReplies out) throws IOException, RespError {
    if (request.left() > 0) {
      requireVersion(request.nextText());
    }
    String newName = name;
    while (request.left() > 0) {
      String option = request.nextText().toUpperCase(Locale.ROOT);
      if (option.equals("AUTH") && request.left() >= 2) {
        login.check(request.next(), request.next());
      } else if (option.equals("SETNAME") && request.left() >= 1) {
        newName = validName(request.nextText());
      } else {
        throw RespError.of("Syntax error in HELLO option '%s'".formatted(option));
      }
    }
    login.require();
    name = newName;
    tellServer(out);
  }

  private static void requireVersion(String version) throws RespError {
    if (!version.matches("[0-9]{1,9}")) {
      throw RespError.of("Protocol version is not an integer or out of range");
    }
    if (Integer.parseInt(version) != VERSION) {
      throw RespError.of("NOPROTO", "unsupported protocol version");
    }
  }

  private void tellServer(RespReplies out) throws IOException {
    out.array(14);
    out.text("server");
    out.text("redis");
    out.text("version");
    out.text(RespManual.REDIS_VERSION);
    out.text("proto");
    out.number(VERSION);
    out.text("id");
    out.number(id);
    out.text("mode");
    out.text("standalone");
    out.text("role");
    out.text("master");
    out.text("modules");
    out.array(0);
  }

  /** CLIENT, with what libraries send when they connect. */
  void client(RespRequest request, RespReplies out) throws IOException, RespError {
    String what = request.nextText().toUpperCase(Locale.ROOT);
    switch (what + " " + request.left()) {
      case "SETINFO 2", "NO-EVICT 1", "NO-TOUCH 1" -> {
        request.skipRest();
        out.ok();
      }
      case "SETNAME 1" -> {
        name = validName(request.nextText());
        out.ok();
      }
      case "GETNAME 0" -> tellName(out);
      case "ID 0" -> out.number(id);
      default ->
          throw RespError.of(
              "unknown subcommand or wrong number of arguments for '%s'".formatted(what));
    }
  }

  private void tellName(RespReplies out) throws IOException {
    if (name.isEmpty()) {
      out.none();
    } else {
      out.text(name);
    }
  }

  private static String validName(String name) throws RespError {
    if (!name.matches("[!-~]*")) {
      throw RespError.of("Client names cannot contain spaces, newlines or special characters.");
    }
    return name;
  }
}
