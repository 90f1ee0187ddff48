package io.kvmesh.agent.engine.lm;

import java.util.Arrays;
import java.util.Optional;

/** What a client may ask for. */
enum LmCommand {
  PUT(1),
  GET(2),
  EXIST(3),
  LIST(4),
  HEALTH(5);

  private final int number;

  LmCommand(int number) {
    this.number = number;
  }

  /** On the wire. */
  int number() {
    return number;
  }

  static Optional<LmCommand> of(int number) {
    return Arrays.stream(values()).filter(command -> command.number == number).findFirst();
  }
}
