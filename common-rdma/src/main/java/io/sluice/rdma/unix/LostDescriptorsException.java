package io.sluice.rdma.unix;

import java.io.IOException;

/** The peer has passed descriptors that could not all be received; none of them is open here. */
public final class LostDescriptorsException extends IOException {
  private static final long serialVersionUID = 1L;

  LostDescriptorsException(String message) {
    super(message);
  }
}
