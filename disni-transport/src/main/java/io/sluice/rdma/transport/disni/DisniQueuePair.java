package io.sluice.rdma.transport.disni;

import com.ibm.disni.verbs.IbvCQ;
import com.ibm.disni.verbs.IbvCompChannel;
import com.ibm.disni.verbs.IbvQP;
import com.ibm.disni.verbs.IbvQPInitAttr;
import com.ibm.disni.verbs.RdmaCmId;
import com.ibm.disni.verbs.RdmaConnParam;
import io.sluice.rdma.transport.disni.DisniDevices.DisniDevice;
import java.io.IOException;

/**
 * A reliable queue pair with its own completion queue and completion channel. They are not shared,
 * because in DiSNI a failed completion does not name its queue pair, and an event does not name its
 * queue.
 *
 * <p>Thread contract: that of its user. Ownership: the connection's end that made it destroys it;
 * the caller destroys the id.
 */
final class DisniQueuePair {
  private static final byte RETRIES = 7; // the maximum; with the NIC's timeout, some seconds

  private final RdmaCmId id;
  private IbvCompChannel channel;
  private IbvCQ completions;
  private IbvQP pair;

  private DisniQueuePair(RdmaCmId id) {
    this.id = id;
  }

  static DisniQueuePair create(RdmaCmId id, DisniDevice device, int maxWorkRequests)
      throws IOException {
    DisniQueuePair result = new DisniQueuePair(id);
    try {
      result.channel = device.context().createCompChannel();
      result.completions = device.context().createCQ(result.channel, maxWorkRequests, 0);
      IbvQPInitAttr attributes = new IbvQPInitAttr();
      attributes.setQp_type(IbvQP.IBV_QPT_RC);
      attributes.setSend_cq(result.completions);
      attributes.setRecv_cq(result.completions);
      attributes.cap().setMax_send_wr(maxWorkRequests);
      attributes.cap().setMax_recv_wr(1); // nothing is ever received, but some devices refuse 0
      result.pair = id.createQP(device.protectionDomain(), attributes);
      return result;
    } catch (IOException | RuntimeException | Error e) {
      result.destroy(0);
      throw e;
    }
  }

  /** How often a NIC repeats a request without an answer, for both sides. */
  static RdmaConnParam connectParameters() throws IOException {
    RdmaConnParam parameters = new RdmaConnParam();
    parameters.setRetry_count(RETRIES);
    parameters.setRnr_retry_count(RETRIES);
    return parameters;
  }

  IbvCompChannel channel() {
    return channel;
  }

  IbvCQ completions() {
    return completions;
  }

  IbvQP pair() {
    return pair;
  }

  /**
   * Destroys the queue pair; after it returns, the NIC neither reads nor writes through it.
   *
   * @param events the number of completion events taken; libibverbs waits until that many are
   *     acknowledged
   */
  void destroy(int events) throws IOException {
    destroyPair();
    if (completions != null && completions.isOpen()) {
      completions.ackEvents(events);
      completions.destroyCQ();
    }
    if (channel != null && channel.isOpen()) {
      channel.destroyCompChannel();
    }
  }

  /** Destroys only the queue pair, without telling the peer; its requests are lost from then on. */
  void destroyPair() throws IOException {
    if (pair != null && pair.isOpen()) {
      id.destroyQP();
    }
  }
}
