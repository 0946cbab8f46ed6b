package io.sluice.node.wire;

import io.sluice.rdma.memory.Descriptor;
import java.io.DataInputStream;
import java.io.IOException;
import java.util.List;

/** The two kinds of answer to a request: its result, or an error. */
public final class Replies {
  /** Type of an answer that carries the result. */
  public static final int OK = 0;

  /** Type of an answer that carries a {@link RemoteError}. */
  public static final int ERROR = 255;

  private static final int MAX_MESSAGE_CHARS = 1000;

  private Replies() {}

  /** Sends a refusal. */
  public static void sendError(Frames frames, RemoteError.Code code, String message, long timeoutMs)
      throws IOException {
    String text = String.valueOf(message);
    frames.send(
        ERROR,
        out -> {
          out.writeByte(code.ordinal());
          Bounded.writeString(out, text.substring(0, Math.min(text.length(), MAX_MESSAGE_CHARS)));
        },
        timeoutMs);
  }

  /**
   * Receives an answer's payload.
   *
   * @throws RemoteError if the service refused
   */
  public static DataInputStream receive(Frames frames, long timeoutMs) throws IOException {
    return payload(frames, frames.receive(timeoutMs, timeoutMs));
  }

  /**
   * Receives an answer that may come with open files.
   *
   * @param descriptors takes these, which the caller closes, also if this fails
   */
  public static DataInputStream receive(Frames frames, List<Descriptor> descriptors, long timeoutMs)
      throws IOException {
    return payload(frames, frames.receive(descriptors, timeoutMs));
  }

  private static DataInputStream payload(Frames frames, Frames.Frame frame) throws IOException {
    if (frame.type() == OK) {
      return frame.in();
    }
    if (frame.type() == ERROR) {
      int ordinal = frame.in().readUnsignedByte();
      RemoteError.Code[] codes = RemoteError.Code.values();
      RemoteError.Code code = ordinal < codes.length ? codes[ordinal] : RemoteError.Code.INTERNAL;
      throw new RemoteError(code, Bounded.readString(frame.in()));
    }
    throw new ProtocolException(
        "node service at " + frames.peer() + " answered with type " + frame.type());
  }
}
