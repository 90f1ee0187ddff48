package io.kvmesh.agent.engine.resp;

import static io.kvmesh.agent.engine.tcp.DoorFixture.MAX_BODY;
import static io.kvmesh.agent.engine.tcp.DoorFixture.PAGE;

import io.kvmesh.agent.engine.tcp.DoorFixture;
import io.kvmesh.agent.engine.tcp.ExistsScope;
import java.io.IOException;
import java.time.Duration;
import java.util.Arrays;

/** Doors of this kind. */
final class RespFixture {

  static final String KEY = "m@1@0@1f@bfloat16";
  static final int MAX_ARGUMENTS = 200;
  static final int MAX_HALVES = 3;
  static final int MAX_HELD_PAGES = 2;

  private RespFixture() {}

  static RespSettings settings(String password) {
    return new RespSettings(
        "default",
        password,
        MAX_BODY,
        MAX_ARGUMENTS,
        new RespSettings.Pairs(MAX_HALVES, MAX_HELD_PAGES * PAGE, Duration.ofSeconds(10)));
  }

  static DoorFixture open() throws IOException {
    return open(8, "");
  }

  static DoorFixture open(int pages, String password) throws IOException {
    return new DoorFixture(
        pages,
        ExistsScope.LOCAL,
        DoorFixture.NOBODY,
        (desk, clock) -> new RespProtocol(desk, settings(password), clock));
  }

  static byte[] body(int bytes, int value) {
    byte[] body = new byte[bytes];
    Arrays.fill(body, (byte) value);
    return body;
  }
}
