package io.kvmesh.agent.engine;

import io.kvmesh.common.wire.engine.EngineErrorCode;
import io.kvmesh.common.wire.engine.EngineErrorMsg;

/** Why a request isn't served; becomes its reply. */
final class EngineFault extends Exception {

  private static final long serialVersionUID = 1L;

  private final EngineErrorCode code;

  EngineFault(EngineErrorCode code, String message) {
    super(message, null, false, false);
    this.code = code;
  }

  static EngineFault badRequest(String message) {
    return new EngineFault(EngineErrorCode.BAD_REQUEST, message);
  }

  static EngineFault overloaded(String message) {
    return new EngineFault(EngineErrorCode.OVERLOADED, message);
  }

  EngineErrorCode code() {
    return code;
  }

  EngineErrorMsg reply() {
    return new EngineErrorMsg(code, String.valueOf(getMessage()));
  }
}
