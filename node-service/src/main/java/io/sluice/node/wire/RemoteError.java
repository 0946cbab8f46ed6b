package io.sluice.node.wire;

import java.io.IOException;

/** The node service refused a request, and said why. */
public final class RemoteError extends IOException {
  private static final long serialVersionUID = 1L;

  private final Code code;

  /** Kinds of refusal, by their number on the wire. */
  public enum Code {
    /** The request made no sense. */
    BAD_REQUEST,
    /** The peer may not do this. */
    REFUSED,
    /** No tier has room. */
    FULL,
    /** No output of this application is on this node. */
    UNKNOWN_APPLICATION,
    /** The service failed. */
    INTERNAL,
    /** The output to commit is not valid. */
    CORRUPT_OUTPUT,
    /** Not now: others use all of it. */
    BUSY,
    /** The answer would be too long: ask for less at a time. */
    TOO_MUCH,
    /** The output is there, but cannot be read now. */
    NOT_NOW
  }

  /** As the service put it. */
  public RemoteError(Code code, String message) {
    super(message);
    this.code = code;
  }

  /** The kind of refusal. */
  public Code code() {
    return code;
  }
}
