package io.kvmesh.cli;

/** Why a controller's answer isn't one. The message is for people and names the address. */
@SuppressWarnings("serial")
abstract sealed class ApiException extends Exception {

  private ApiException(String message) {
    super(message);
  }

  /** The controller was reached and refuses; the message is its reason. */
  static final class Refused extends ApiException {

    private final int status;

    Refused(int status, String reason) {
      super(reason);
      this.status = status;
    }

    /** Whether the controller doesn't know what was asked for. */
    boolean isUnknown() {
      return status == 404;
    }

    /** Whether the request makes no sense, not the controller's state. */
    boolean isTheAskersFault() {
      return status < 500;
    }
  }

  /** Nothing answers there, or not in time, or it isn't a controller. */
  static final class Unreachable extends ApiException {

    private final boolean sent;

    private Unreachable(String url, String reason, boolean sent) {
      super(url + ": " + reason);
      this.sent = sent;
    }

    private Unreachable(Unreachable cause, String more) {
      super(cause.getMessage() + more);
      this.sent = cause.sent;
    }

    /** There was no connection. */
    static Unreachable notSent(String url, String reason) {
      return new Unreachable(url, reason, false);
    }

    /** The request is on its way, and may have been carried out. */
    static Unreachable sent(String url, String reason) {
      return new Unreachable(url, reason, true);
    }

    /** The same of what changes something, so that who asked looks before they ask again. */
    Unreachable perhapsDone() {
      return new Unreachable(this, "; it may have been carried out");
    }

    /** Whether the controller may have got the request. */
    boolean isSent() {
      return sent;
    }
  }
}
