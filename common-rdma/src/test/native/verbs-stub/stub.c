#define _GNU_SOURCE
#include <infiniband/verbs.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <sys/eventfd.h>
#include <errno.h>
#undef ibv_query_port
#undef ibv_reg_mr
static pthread_mutex_t L = PTHREAD_MUTEX_INITIALIZER;
struct Q; struct P;
struct Ctx { struct ibv_context c; struct ibv_async_event ev[64]; int nev; int afd[2]; };
struct Ch { struct ibv_comp_channel c; int p[2]; };
struct Q { struct ibv_cq c; struct ibv_wc wc[4096]; int h,t; int armed; int reported, acked; int cqe; int npairs; };
struct R { uint64_t id, la, ra; uint32_t lk, rk, len; };
struct P { struct ibv_qp q; int state; int access; uint32_t peer, rqpsn, sqpsn; int rd, drd; struct R r[512]; int h,t; int max; struct P *next; int evs; };
struct M { struct ibv_mr m; int access; struct M *next; };
static struct P *pairs; static struct M *mrs; static uint32_t nextn = 17, nextk = 0x100;
static struct ibv_device dev;
#define DIE(...) do { fprintf(stderr, "STUB: " __VA_ARGS__); fprintf(stderr, "\n"); abort(); } while (0)
struct ibv_device **ibv_get_device_list(int *n){ struct ibv_device **l = calloc(2, sizeof *l); l[0]=&dev; strcpy(dev.name,"fake0"); if(n)*n=1; return l; }
void ibv_free_device_list(struct ibv_device **l){ free(l); }
const char *ibv_get_device_name(struct ibv_device *d){ return d->name; }
static int poll_cq(struct ibv_cq *cq, int n, struct ibv_wc *wc){ struct Q *q=(void*)cq; int k=0; pthread_mutex_lock(&L); while(k<n && q->h!=q->t){ memset(&wc[k],0xAA,sizeof wc[k]); wc[k].wr_id=q->wc[q->h].wr_id; wc[k].status=q->wc[q->h].status; k++; q->h=(q->h+1)%4096;} pthread_mutex_unlock(&L); return k; }
static int req_notify(struct ibv_cq *cq, int s){ if(s) DIE("solicited"); struct Q *q=(void*)cq; pthread_mutex_lock(&L); q->armed=1; pthread_mutex_unlock(&L); return 0; }
static void complete(struct P *p, uint64_t id, int st){ struct Q *q=(void*)p->q.send_cq; q->wc[q->t].wr_id=id; q->wc[q->t].status=st; q->t=(q->t+1)%4096; if(q->t==q->h) DIE("overrun"); if(q->armed && q->c.channel){ q->armed=0; struct Ch *c=(void*)q->c.channel; void *x=q; if(write(c->p[1],&x,8)!=8) DIE("w"); } }
static void flush(struct P *p){ while(p->h!=p->t){ complete(p,p->r[p->h].id,IBV_WC_WR_FLUSH_ERR); p->h=(p->h+1)%512; } }
static struct M *mr(uint32_t k,int local){ for(struct M*m=mrs;m;m=m->next) if((local?m->m.lkey:m->m.rkey)==k) return m; return 0; }
static int inr(struct M*m,uint64_t a,uint32_t l){ uint64_t s=(uint64_t)m->m.addr; return a>=s && a-s<=m->m.length && l<=m->m.length-(a-s); }
static void event(struct ibv_context*c,int type,void*el){ struct Ctx*x=(void*)c; struct ibv_async_event e; memset(&e,0,sizeof e); e.event_type=type; e.element.qp=el; if(write(x->afd[1],&e,sizeof e)!=sizeof e) DIE("ev"); }
static void run(struct P *p){ while(p->state==IBV_QPS_RTS && p->h!=p->t){ struct R r=p->r[p->h]; struct P *s=0; for(struct P*i=pairs;i;i=i->next) if(i->q.qp_num==p->peer) s=i; if(!s||s->peer!=p->q.qp_num||s->rqpsn!=p->sqpsn||s->state<IBV_QPS_RTR||s->state>IBV_QPS_RTS) return; if(p->rd>s->drd||!p->rd) DIE("rd %d %d",p->rd,s->drd); p->h=(p->h+1)%512; int st=0; struct M*f=mr(r.rk,0),*t=mr(r.lk,1);
 if(!(s->access&IBV_ACCESS_REMOTE_READ)||!f||f->m.pd!=s->q.pd||!(f->access&IBV_ACCESS_REMOTE_READ)||!inr(f,r.ra,r.len)) st=IBV_WC_REM_ACCESS_ERR; else if(!t||t->m.pd!=p->q.pd||!(t->access&IBV_ACCESS_LOCAL_WRITE)||!inr(t,r.la,r.len)) st=IBV_WC_LOC_PROT_ERR; else memcpy((void*)r.la,(void*)r.ra,r.len);
 complete(p,r.id,st); if(st){ p->state=IBV_QPS_ERR; flush(p);} if(st==IBV_WC_REM_ACCESS_ERR){ s->state=IBV_QPS_ERR; s->evs++; event(s->q.context,IBV_EVENT_QP_ACCESS_ERR,s);} } }
static int post_send(struct ibv_qp *qp, struct ibv_send_wr *wr, struct ibv_send_wr **bad){ struct P *p=(void*)qp; if(!bad) DIE("bad"); pthread_mutex_lock(&L); for(;wr;wr=wr->next){ if(wr->opcode!=IBV_WR_RDMA_READ||wr->send_flags!=IBV_SEND_SIGNALED||wr->num_sge!=1) DIE("wr"); int used=(p->t-p->h+512)%512; if(used>=p->max){ *bad=wr; pthread_mutex_unlock(&L); return ENOMEM;} struct R*r=&p->r[p->t]; r->id=wr->wr_id; r->la=wr->sg_list->addr; r->lk=wr->sg_list->lkey; r->len=wr->sg_list->length; r->ra=wr->wr.rdma.remote_addr; r->rk=wr->wr.rdma.rkey; p->t=(p->t+1)%512; } if(p->state==IBV_QPS_ERR) flush(p); else run(p); pthread_mutex_unlock(&L); return 0; }
struct ibv_context *ibv_open_device(struct ibv_device *d){ struct Ctx *x=calloc(1,sizeof *x); x->c.device=d; x->c.ops.poll_cq=poll_cq; x->c.ops.req_notify_cq=req_notify; x->c.ops.post_send=post_send; if(pipe(x->afd)) DIE("pipe"); x->c.async_fd=x->afd[0]; return &x->c; }
int ibv_close_device(struct ibv_context *c){ struct Ctx*x=(void*)c; close(x->afd[0]); close(x->afd[1]); memset(x,0xEE,sizeof *x); free(x); return 0; }
int ibv_query_device(struct ibv_context *c, struct ibv_device_attr *a){ memset(a,0x55,sizeof *a); a->max_qp_wr=100; a->max_cqe=5000; a->max_qp_rd_atom=16; a->max_qp_init_rd_atom=8; return 0; }
int ibv_query_port(struct ibv_context *c, uint8_t port, struct _compat_ibv_port_attr *pa){ if(port!=1) DIE("port"); struct ibv_port_attr *a=(void*)pa; memset(a,0,48); a->state=IBV_PORT_ACTIVE; a->active_mtu=IBV_MTU_2048; a->max_msg_sz=1u<<31; a->lid=0xFFF1; a->link_layer=IBV_LINK_LAYER_ETHERNET; return 0; }
struct ibv_pd *ibv_alloc_pd(struct ibv_context *c){ struct ibv_pd*p=calloc(1,sizeof *p); p->context=c; return p; }
int ibv_dealloc_pd(struct ibv_pd*p){ for(struct M*m=mrs;m;m=m->next) if(m->m.pd==p) return EBUSY; for(struct P*i=pairs;i;i=i->next) if(i->q.pd==p) return EBUSY; free(p); return 0; }
struct ibv_mr *ibv_reg_mr(struct ibv_pd*pd,void*a,size_t l,int access){ if(access!=1&&access!=4) DIE("access %d",access); struct M*m=calloc(1,sizeof *m); pthread_mutex_lock(&L); m->m.pd=pd; m->m.addr=a; m->m.length=l; m->m.lkey=nextk++; m->m.rkey=nextk++; m->access=access; m->next=mrs; mrs=m; pthread_mutex_unlock(&L); return &m->m; }
int ibv_dereg_mr(struct ibv_mr*x){ pthread_mutex_lock(&L); for(struct M**m=&mrs;*m;m=&(*m)->next) if(&(*m)->m==x){ struct M*d=*m; *m=d->next; free(d); pthread_mutex_unlock(&L); return 0;} DIE("dereg"); }
struct ibv_comp_channel *ibv_create_comp_channel(struct ibv_context*c){ struct Ch*h=calloc(1,sizeof *h); h->c.context=c; if(pipe(h->p)) DIE("pipe"); h->c.fd=h->p[0]; return &h->c; }
int ibv_destroy_comp_channel(struct ibv_comp_channel*c){ struct Ch*h=(void*)c; if(h->c.refcnt) return EBUSY; close(h->p[0]); close(h->p[1]); free(h); return 0; }
struct ibv_cq *ibv_create_cq(struct ibv_context*c,int n,void*cc,struct ibv_comp_channel*ch,int v){ if(cc||v) DIE("cq"); struct Q*q=calloc(1,sizeof *q); q->c.context=c; q->c.channel=ch; q->cqe=n; if(ch) ch->refcnt++; return &q->c; }
int ibv_get_cq_event(struct ibv_comp_channel*c,struct ibv_cq**cq,void**cc){ struct Ch*h=(void*)c; void*x; if(read(h->p[0],&x,8)!=8) return -1; *cq=x; *cc=0; ((struct Q*)x)->reported++; return 0; }
void ibv_ack_cq_events(struct ibv_cq*cq,unsigned n){ ((struct Q*)cq)->acked+=n; }
int ibv_destroy_cq(struct ibv_cq*cq){ struct Q*q=(void*)cq; if(q->npairs) return EBUSY; if(q->acked!=q->reported) DIE("ack %d %d",q->acked,q->reported); if(q->c.channel) q->c.channel->refcnt--; free(q); return 0; }
struct ibv_qp *ibv_create_qp(struct ibv_pd*pd,struct ibv_qp_init_attr*a){ if(a->qp_type!=IBV_QPT_RC||a->srq||a->sq_sig_all||a->send_cq!=a->recv_cq||a->cap.max_send_sge!=1) DIE("qp"); if(a->cap.max_send_wr>(unsigned)((struct Q*)a->send_cq)->cqe) DIE("cq too short"); struct P*p=calloc(1,sizeof *p); pthread_mutex_lock(&L); p->q.context=pd->context; p->q.pd=pd; p->q.send_cq=a->send_cq; ((struct Q*)a->send_cq)->npairs++; p->q.qp_num=nextn++; p->max=a->cap.max_send_wr; p->next=pairs; pairs=p; pthread_mutex_unlock(&L); return &p->q; }
int ibv_modify_qp(struct ibv_qp*qp,struct ibv_qp_attr*a,int mask){ struct P*p=(void*)qp; pthread_mutex_lock(&L); switch(a->qp_state){
 case IBV_QPS_INIT: if(mask!=(IBV_QP_STATE|IBV_QP_PKEY_INDEX|IBV_QP_PORT|IBV_QP_ACCESS_FLAGS)||p->state||a->port_num!=1) DIE("init"); p->access=a->qp_access_flags; break;
 case IBV_QPS_RTR: if(mask!=(IBV_QP_STATE|IBV_QP_AV|IBV_QP_PATH_MTU|IBV_QP_DEST_QPN|IBV_QP_RQ_PSN|IBV_QP_MAX_DEST_RD_ATOMIC|IBV_QP_MIN_RNR_TIMER)||p->state!=IBV_QPS_INIT||a->path_mtu!=IBV_MTU_2048||!a->ah_attr.is_global||a->ah_attr.port_num!=1||a->ah_attr.dlid!=0xFFF1||a->ah_attr.grh.hop_limit!=64||a->ah_attr.grh.dgid.raw[12]!=127||a->ah_attr.grh.sgid_index!=1||a->min_rnr_timer!=12) DIE("rtr"); p->peer=a->dest_qp_num; p->rqpsn=a->rq_psn; p->drd=a->max_dest_rd_atomic; break;
 case IBV_QPS_RTS: if(mask!=(IBV_QP_STATE|IBV_QP_TIMEOUT|IBV_QP_RETRY_CNT|IBV_QP_RNR_RETRY|IBV_QP_SQ_PSN|IBV_QP_MAX_QP_RD_ATOMIC)||p->state!=IBV_QPS_RTR||a->timeout!=18||a->retry_cnt!=7||a->rnr_retry!=7) DIE("rts"); p->sqpsn=a->sq_psn; p->rd=a->max_rd_atomic; break;
 case IBV_QPS_ERR: if(mask!=IBV_QP_STATE) DIE("err"); break; default: DIE("state"); }
 p->state=a->qp_state; if(p->state==IBV_QPS_ERR) flush(p); pthread_mutex_unlock(&L); return 0; }
int ibv_destroy_qp(struct ibv_qp*qp){ for(int w=0;((volatile struct P*)qp)->evs;w++){ if(w>50000) DIE("event never acked"); usleep(100);} pthread_mutex_lock(&L); for(struct P**p=&pairs;*p;p=&(*p)->next) if(&(*p)->q==qp){ struct P*d=*p; *p=d->next; ((struct Q*)d->q.send_cq)->npairs--; memset(d,0xEE,sizeof *d); free(d); pthread_mutex_unlock(&L); return 0;} DIE("destroy"); }
int ibv_get_async_event(struct ibv_context*c,struct ibv_async_event*e){ struct Ctx*x=(void*)c; return read(x->afd[0],e,sizeof *e)==sizeof *e?0:-1; }
void ibv_ack_async_event(struct ibv_async_event*e){ if(e->event_type!=IBV_EVENT_QP_ACCESS_ERR) DIE("ack"); __sync_fetch_and_sub(&((struct P*)e->element.qp)->evs,1); }
