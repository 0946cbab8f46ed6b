package io.sluice.rdma.transport.ucx;

import org.openucx.jucx.UcxException;
import org.openucx.jucx.ucp.UcpEndpoint;
import org.openucx.jucx.ucp.UcpRequest;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Ends UCX endpoints at once, without asking the peer. */
final class UcxEndpoints {
  private static final Logger LOG = LoggerFactory.getLogger(UcxEndpoints.class);

  private UcxEndpoints() {}

  /**
   * Cancels what is outstanding, and runs {@code then} when UCX has let go of all of it: from then
   * on nothing is written or read through this endpoint. On the loop only.
   */
  static void closeForced(UcxLoop loop, UcpEndpoint endpoint, Runnable then) {
    UcpRequest request;
    try {
      request = endpoint.closeNonBlockingForce();
    } catch (UcxException e) {
      LOG.warn("ucx: {} was already broken when it was closed", endpoint, e);
      then.run();
      return;
    }
    loop.watch(request, then);
  }
}
