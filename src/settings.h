/*
 * settings.h
 *	  The settings, as gpucompact.c defines them.
 */
#ifndef GPUCOMPACT_SETTINGS_H
#define GPUCOMPACT_SETTINGS_H

/* gpucompact.engine is an engine's number, ENGINE_AUTO or ENGINE_EAGER. */
#define ENGINE_AUTO		(-1)
#define ENGINE_EAGER	(-2)	/* auto, as if a GPU took no time: for tests */

#define CPU_AUTO		(-1)

extern int	setting_engine;
extern int	setting_algorithm;	/* an EngineAlgorithm */
extern int	setting_device;		/* -1: the one that would serve first */
extern int	setting_device_memory_limit;	/* MB for a call; 0: none */
extern int	setting_cpu;		/* a CpuLevel, or CPU_AUTO */
extern int	setting_cpu_threads;	/* 0: up to 4, as request.c finds free */
extern int	setting_log_min_duration;	/* ms; -1: log no calls */

/* Of the GPU processes. */
extern int	setting_gpu_lanes;
extern int	setting_gpu_slot_size;	/* kB */
extern int	setting_gpu_idle_timeout;	/* s; 0: never */
extern int	setting_gpu_cache_size; /* MB; -1: half of what is free */

#endif							/* GPUCOMPACT_SETTINGS_H */
