package io.sluice.rdma.transport.verbs;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/**
 * The layouts of native memory that libibverbs shares with its callers, and their constants. The
 * source is {@code infiniband/verbs.h} of rdma-core. The layouts are part of its ABI and the same
 * on x86-64 and aarch64. {@code VerbsLayoutTest} compares them with the header where it is
 * installed.
 *
 * <pre>
 *  ibv_context: functions that the header calls through a pointer
 *  0          8              96         104                208
 *  +----------+---- - - -----+----------+------------------+-----------+--- - -
 *  | device   |              | poll_cq  | req_notify_cq    | post_send |
 *  +----------+---- - - -----+----------+------------------+-----------+--- - -
 *
 *  ibv_send_wr
 *  0       8      16        24        28       32      36  40            48     52      128
 *  +-------+------+---------+---------+--------+-------+---+-------------+------+--- - -+
 *  | wr_id | next | sg_list | num_sge | opcode | flags |   | remote_addr | rkey |       |
 *  +-------+------+---------+---------+--------+-------+---+-------------+------+--- - -+
 *
 *  ibv_sge                        ibv_wc
 *  0         8        12     16   0       8        12        16           20           48
 *  +---------+--------+------+    +-------+--------+---------+------------+---- - - ---+
 *  | address | length | lkey |    | wr_id | status | opcode  | vendor_err |            |
 *  +---------+--------+------+    +-------+--------+---------+------------+---- - - ---+
 *
 *  ibv_qp_init_attr
 *  0         8         16        24    32           36           40            44
 *  +---------+---------+---------+-----+------------+------------+-------------+--------------+
 *  | context | send_cq | recv_cq | srq | max_send_wr| max_recv_wr| max_send_sge| max_recv_sge |
 *  +---------+---------+---------+-----+------------+------------+-------------+--------------+
 *  48                52        56           60    64
 *  +-----------------+---------+------------+-----+
 *  | max_inline_data | qp_type | sq_sig_all |     |
 *  +-----------------+---------+------------+-----+
 *
 *  ibv_qp_attr
 *  0       4     8          12    20       24       28            32             36   56
 *  +-------+-----+----------+-----+--------+--------+-------------+--------------+----+
 *  | state |     | path_mtu |     | rq_psn | sq_psn | dest_qp_num | access_flags |    |
 *  +-------+-----+----------+-----+--------+--------+-------------+--------------+----+
 *  56     72           76           77          78              80     82   85          86
 *  +------+------------+------------+-----------+---------------+------+----+-----------+------+
 *  | dgid | flow_label | sgid_index | hop_limit | traffic_class | dlid | sl | is_global | port |
 *  +------+------------+------------+-----------+---------------+------+----+-----------+------+
 *  120          126             127                  128             129    130       131
 *  +------------+---------------+--------------------+---------------+------+---------+-----------+
 *  | pkey_index | max_rd_atomic | max_dest_rd_atomic | min_rnr_timer | port | timeout | retry_cnt |
 *  +------------+---------------+--------------------+---------------+------+---------+-----------+
 *  132         133      144
 *  +-----------+--- - - +
 *  | rnr_retry |        |
 *  +-----------+--- - - +
 * </pre>
 *
 * <p>Thread contract: stateless; the caller synchronises the use of memory.
 */
final class VerbsLayout {
  static final int CONTEXT_POLL_CQ = 96;
  static final int CONTEXT_REQ_NOTIFY_CQ = 104;
  static final int CONTEXT_POST_SEND = 208;
  static final int CONTEXT_ASYNC_FD = 268;

  static final int WR_ID = 0;
  static final int WR_NEXT = 8;
  static final int WR_SG_LIST = 16;
  static final int WR_NUM_SGE = 24;
  static final int WR_OPCODE = 28;
  static final int WR_SEND_FLAGS = 32;
  static final int WR_REMOTE_ADDR = 40;
  static final int WR_RKEY = 48;

  /** The end of a request, which a read does not use: the call writes there which one failed. */
  static final int WR_FREE = 120;

  static final int WR_BYTES = 128;

  static final int SGE_ADDR = 0;
  static final int SGE_LENGTH = 8;
  static final int SGE_LKEY = 12;
  static final int SGE_BYTES = 16;

  /** A work request and its only piece of local memory, one behind the other. */
  static final int REQUEST_BYTES = WR_BYTES + SGE_BYTES;

  static final int WC_ID = 0;
  static final int WC_STATUS = 8;
  static final int WC_BYTES = 48;

  static final int INIT_SEND_CQ = 8;
  static final int INIT_RECV_CQ = 16;
  static final int INIT_MAX_SEND_WR = 32;
  static final int INIT_MAX_RECV_WR = 36;
  static final int INIT_MAX_SEND_SGE = 40;
  static final int INIT_MAX_RECV_SGE = 44;
  static final int INIT_QP_TYPE = 52;
  static final int INIT_BYTES = 64;

  static final int ATTR_STATE = 0;
  static final int ATTR_PATH_MTU = 8;
  static final int ATTR_RQ_PSN = 20;
  static final int ATTR_SQ_PSN = 24;
  static final int ATTR_DEST_QP_NUM = 28;
  static final int ATTR_ACCESS_FLAGS = 32;
  static final int ATTR_DGID = 56;
  static final int ATTR_SGID_INDEX = 76;
  static final int ATTR_HOP_LIMIT = 77;
  static final int ATTR_TRAFFIC_CLASS = 78;
  static final int ATTR_DLID = 80;
  static final int ATTR_SL = 82;
  static final int ATTR_IS_GLOBAL = 85;
  static final int ATTR_AH_PORT_NUM = 86;
  static final int ATTR_PKEY_INDEX = 120;
  static final int ATTR_MAX_RD_ATOMIC = 126;
  static final int ATTR_MAX_DEST_RD_ATOMIC = 127;
  static final int ATTR_MIN_RNR_TIMER = 128;
  static final int ATTR_PORT_NUM = 129;
  static final int ATTR_TIMEOUT = 130;
  static final int ATTR_RETRY_CNT = 131;
  static final int ATTR_RNR_RETRY = 132;
  static final int ATTR_BYTES = 144;

  static final int DEVICE_MAX_QP_WR = 112;
  static final int DEVICE_MAX_CQE = 132;
  static final int DEVICE_MAX_QP_RD_ATOM = 144;
  static final int DEVICE_MAX_QP_INIT_RD_ATOM = 156;
  static final int DEVICE_BYTES = 232;

  static final int PORT_STATE = 0;
  static final int PORT_ACTIVE_MTU = 8;
  static final int PORT_MAX_MSG_SZ = 20;
  static final int PORT_LID = 34;
  static final int PORT_LINK_LAYER = 46;
  static final int PORT_FLAGS = 47;

  /** The length in the newest rdma-core; older ones have fewer fields at the end. */
  static final int PORT_BYTES = 56;

  static final int QP_CONTEXT = 0; // the same in ibv_cq
  static final int QP_NUM = 52;
  static final int MR_LKEY = 36;
  static final int MR_RKEY = 40;
  static final int CHANNEL_FD = 8;
  static final int EVENT_ELEMENT = 0;
  static final int EVENT_TYPE = 8;
  static final int EVENT_BYTES = 16;

  static final int ACCESS_LOCAL_WRITE = 1;
  static final int ACCESS_REMOTE_READ = 1 << 2;
  static final int ACCESS_ON_DEMAND = 1 << 6;

  static final int STATE_INIT = 1;
  static final int STATE_RTR = 2;
  static final int STATE_RTS = 3;
  static final int STATE_ERROR = 6;

  static final int MASK_ERROR = 1;
  static final int MASK_INIT = 1 | 1 << 3 | 1 << 4 | 1 << 5; // state, access, pkey index, port
  static final int MASK_RTR = // state, address, MTU, receive psn, number, served reads, RNR timer
      1 | 1 << 7 | 1 << 8 | 1 << 12 | 1 << 20 | 1 << 17 | 1 << 15;
  static final int MASK_RTS = // state, timeout, retries, RNR retries, send psn, issued reads
      1 | 1 << 9 | 1 << 10 | 1 << 11 | 1 << 16 | 1 << 13;

  static final int QPT_RC = 2;
  static final int WR_RDMA_READ = 4;
  static final int SEND_SIGNALED = 1 << 1;
  static final int PORT_ACTIVE = 4;
  static final int PORT_NEEDS_GRH = 1;
  static final int LINK_LAYER_ETHERNET = 2;

  static final int EVENT_CQ_ERR = 0;
  static final int EVENT_QP_FATAL = 1;
  static final int EVENT_QP_REQ_ERR = 2;
  static final int EVENT_QP_ACCESS_ERR = 3;
  static final int EVENT_DEVICE_FATAL = 8;
  static final int EVENT_PORT_ERR = 10;

  static final int STATUS_SUCCESS = 0;
  static final int STATUS_FLUSHED = 5;
  static final int STATUS_REMOTE_ACCESS = 10;
  static final int STATUS_NO_ANSWER = 12;

  /**
   * Any state to ERROR: {@code ibv_qp_attr} for {@link #MASK_ERROR}. Nobody writes to it. It is
   * there before memory may be short.
   */
  static final byte[] ERROR = error();

  private static final String[] STATUSES = {
    "IBV_WC_SUCCESS",
    "IBV_WC_LOC_LEN_ERR",
    "IBV_WC_LOC_QP_OP_ERR",
    "IBV_WC_LOC_EEC_OP_ERR",
    "IBV_WC_LOC_PROT_ERR",
    "IBV_WC_WR_FLUSH_ERR",
    "IBV_WC_MW_BIND_ERR",
    "IBV_WC_BAD_RESP_ERR",
    "IBV_WC_LOC_ACCESS_ERR",
    "IBV_WC_REM_INV_REQ_ERR",
    "IBV_WC_REM_ACCESS_ERR",
    "IBV_WC_REM_OP_ERR",
    "IBV_WC_RETRY_EXC_ERR",
    "IBV_WC_RNR_RETRY_EXC_ERR"
  };

  private static final int RNR_RETRIES = 7; // the maximum
  private static final int MIN_RNR_TIMER = 12; // 0.64 ms; nothing is ever received
  private static final int HOP_LIMIT = 64;

  private VerbsLayout() {}

  static ByteBuffer wrap(byte[] struct) {
    return ByteBuffer.wrap(struct).order(ByteOrder.nativeOrder());
  }

  /** A new queue pair: {@code ibv_qp_init_attr}. */
  static byte[] newPair(long queue, int requests) {
    byte[] struct = new byte[INIT_BYTES];
    wrap(struct)
        .putLong(INIT_SEND_CQ, queue)
        .putLong(INIT_RECV_CQ, queue)
        .putInt(INIT_MAX_SEND_WR, requests)
        .putInt(INIT_MAX_RECV_WR, 1) // nothing is ever received, but some devices refuse 0
        .putInt(INIT_MAX_SEND_SGE, 1)
        .putInt(INIT_MAX_RECV_SGE, 1)
        .putInt(INIT_QP_TYPE, QPT_RC);
    return struct;
  }

  /** RESET to INIT: {@code ibv_qp_attr} for {@link #MASK_INIT}. */
  static byte[] init(int port, int partitionIndex, int access) {
    byte[] struct = new byte[ATTR_BYTES];
    wrap(struct)
        .putInt(ATTR_STATE, STATE_INIT)
        .putInt(ATTR_ACCESS_FLAGS, access)
        .putShort(ATTR_PKEY_INDEX, (short) partitionIndex)
        .put(ATTR_PORT_NUM, (byte) port);
    return struct;
  }

  /**
   * INIT to RTR: {@code ibv_qp_attr} for {@link #MASK_RTR}.
   *
   * @param served how many reads of the peer the NIC answers at a time
   */
  static byte[] readyToReceive(
      VerbsPort local, QueuePairAddress remote, VerbsNetwork network, int served) {
    byte[] struct = new byte[ATTR_BYTES];
    VerbsRoute route = VerbsRoute.between(local, remote);
    ByteBuffer attributes =
        wrap(struct)
            .putInt(ATTR_STATE, STATE_RTR)
            .putInt(ATTR_PATH_MTU, network.mtuCode(local.state().mtu(), remote.mtu()))
            .putInt(ATTR_RQ_PSN, remote.psn())
            .putInt(ATTR_DEST_QP_NUM, remote.number())
            .putShort(ATTR_DLID, (short) route.lid())
            .put(ATTR_SL, (byte) network.serviceLevel())
            .put(ATTR_AH_PORT_NUM, (byte) local.number())
            .put(ATTR_MAX_DEST_RD_ATOMIC, (byte) served)
            .put(ATTR_MIN_RNR_TIMER, (byte) MIN_RNR_TIMER);
    if (route.needsGrh()) {
      attributes
          .put(ATTR_DGID, remote.gid())
          .put(ATTR_SGID_INDEX, (byte) local.gid().index())
          .put(ATTR_HOP_LIMIT, (byte) HOP_LIMIT)
          .put(ATTR_TRAFFIC_CLASS, (byte) network.trafficClass())
          .put(ATTR_IS_GLOBAL, (byte) 1);
    }
    return struct;
  }

  /**
   * RTR to RTS: {@code ibv_qp_attr} for {@link #MASK_RTS}.
   *
   * @param issued how many reads the NIC has under way at a time
   */
  static byte[] readyToSend(int psn, VerbsNetwork network, int issued) {
    byte[] struct = new byte[ATTR_BYTES];
    wrap(struct)
        .putInt(ATTR_STATE, STATE_RTS)
        .putInt(ATTR_SQ_PSN, psn)
        .put(ATTR_MAX_RD_ATOMIC, (byte) issued)
        .put(ATTR_TIMEOUT, (byte) network.timeoutCode())
        .put(ATTR_RETRY_CNT, (byte) network.retryCount())
        .put(ATTR_RNR_RETRY, (byte) RNR_RETRIES);
    return struct;
  }

  private static byte[] error() {
    byte[] struct = new byte[ATTR_BYTES];
    wrap(struct).putInt(ATTR_STATE, STATE_ERROR);
    return struct;
  }

  /**
   * Writes a read as request {@code index} of a chain.
   *
   * @param requests memory in native order, of {@link #REQUEST_BYTES} for each request
   * @param address the address of that memory
   * @param last whether no request follows
   */
  static void read(
      ByteBuffer requests, long address, int index, boolean last, long id, ReadPart part) {
    int at = index * REQUEST_BYTES;
    int piece = at + WR_BYTES;
    requests
        .putLong(at + WR_ID, id)
        .putLong(at + WR_NEXT, last ? 0 : address + at + REQUEST_BYTES)
        .putLong(at + WR_SG_LIST, address + piece)
        .putInt(at + WR_NUM_SGE, 1)
        .putInt(at + WR_OPCODE, WR_RDMA_READ)
        .putInt(at + WR_SEND_FLAGS, SEND_SIGNALED)
        .putLong(at + WR_REMOTE_ADDR, part.remoteAddress())
        .putInt(at + WR_RKEY, part.remoteKey())
        .putLong(piece + SGE_ADDR, part.localAddress())
        .putInt(piece + SGE_LENGTH, part.lengthBytes())
        .putInt(piece + SGE_LKEY, part.localKey());
  }

  /** The id of a taken completion. */
  static long completedId(ByteBuffer completions, int index) {
    return completions.getLong(index * WC_BYTES + WC_ID);
  }

  /** The status of a taken completion. */
  static int status(ByteBuffer completions, int index) {
    return completions.getInt(index * WC_BYTES + WC_STATUS);
  }

  /** The name of a completion's status, {@code enum ibv_wc_status}. */
  static String statusName(int status) {
    return status >= 0 && status < STATUSES.length ? STATUSES[status] : "status " + status;
  }
}
