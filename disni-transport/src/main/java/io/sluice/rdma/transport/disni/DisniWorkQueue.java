package io.sluice.rdma.transport.disni;

import com.ibm.disni.verbs.IbvSendWR;
import com.ibm.disni.verbs.IbvSge;
import com.ibm.disni.verbs.IbvWC;
import com.ibm.disni.verbs.SVCPollCq;
import com.ibm.disni.verbs.SVCPostSend;
import com.ibm.disni.verbs.SVCReqNotify;
import java.io.IOException;
import java.util.List;

/**
 * Posts RDMA READs on one queue pair, waits for them, and takes their completions.
 *
 * <p>A call of DiSNI is an object with memory of its own; it is made once and used for every
 * request. Thread contract: {@link #post} under the connection's lock, the rest on the connection's
 * thread. Ownership: {@link #destroy} destroys the queue pair, too.
 */
final class DisniWorkQueue {
  private static final int BATCH = 32;

  /** Receives completions. */
  @FunctionalInterface
  interface Completions {
    void completed(long workRequestId, int status);
  }

  private final DisniQueuePair pair;
  private final SVCPostSend read;
  private final SVCReqNotify requestEvent;
  private final IbvWC[] batch = new IbvWC[BATCH];
  private final SVCPollCq poll;
  private int events;

  DisniWorkQueue(DisniQueuePair pair) throws IOException {
    this.pair = pair;
    IbvSendWR request = new IbvSendWR();
    request.setOpcode(IbvSendWR.IBV_WR_RDMA_READ);
    request.setSend_flags(IbvSendWR.IBV_SEND_SIGNALED);
    request.getSg_list().add(new IbvSge());
    request.setNum_sge(1);
    for (int i = 0; i < BATCH; i++) {
      batch[i] = new IbvWC();
    }
    read = pair.pair().postSend(List.of(request), null);
    poll = pair.completions().poll(batch, BATCH);
    requestEvent = pair.completions().reqNotification(false);
    requestEvent.execute();
  }

  /** Asks the NIC to read; it completes under {@code workRequestId}, whatever happens. */
  void post(
      long workRequestId,
      long localAddress,
      int localKey,
      long remoteAddress,
      int remoteKey,
      int lengthBytes)
      throws IOException {
    SVCPostSend.SendWRMod request = read.getWrMod(0);
    request.setWr_id(workRequestId);
    request.getRdmaMod().setRemote_addr(remoteAddress);
    request.getRdmaMod().setRkey(remoteKey);
    SVCPostSend.SgeMod target = request.getSgeMod(0);
    target.setAddr(localAddress);
    target.setLkey(localKey);
    target.setLength(lengthBytes);
    read.execute();
  }

  /** Waits for completions and passes them on; false if none came within {@code limitMs}. */
  boolean take(int limitMs, Completions to) throws IOException {
    if (!pair.channel().getCqEvent(pair.completions(), limitMs)) {
      return false;
    }
    events++;
    requestEvent.execute(); // before polling: a completion in between would wake no thread
    int taken;
    do {
      taken = poll.execute().getPolls();
      for (int i = 0; i < taken; i++) {
        to.completed(batch[i].getWr_id(), batch[i].getStatus());
      }
    } while (taken == BATCH);
    return true;
  }

  /** Destroys the queue; after it returns, the NIC writes nothing. */
  void destroy() throws IOException {
    pair.destroy(events);
    read.free();
    poll.free();
    requestEvent.free();
  }
}
