/*
 * kernel_timer.h
 *	  How a kernel reports to the host that it has ended.
 */
#ifndef GPUCOMPACT_KERNEL_TIMER_H
#define GPUCOMPACT_KERNEL_TIMER_H

#include "kernels/common/operation.h"

__device__ static inline unsigned long long
now_ns()
{
	unsigned long long now;

	asm volatile("mov.u64 %0, %globaltimer;" : "=l" (now));
	return now;
}

/*
 * One thread calls this, after the kernel has written everything for the
 * host.  Other threads must fence their writes before they signal them to this
 * thread.
 */
__device__ static inline void
timer_stop(unsigned long long begun_ns, KernelTimer *end, unsigned number)
{
	end->ns = now_ns() - begun_ns;
	__threadfence_system();
	*(volatile unsigned *) &end->number = number;
}

#endif							/* GPUCOMPACT_KERNEL_TIMER_H */
