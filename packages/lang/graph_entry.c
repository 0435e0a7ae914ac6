/* SPDX-License-Identifier: MIT */
/* graph_entry.c - what is known of the entry that a graph's kernel calls: an InCore function, a declared kernel, or nothing. */
#include "lang/lang_graph.h"
#include "lang/lang_kernel.h"

void lang_graph_entry_find(struct lang_module *module, struct lang_graph_kernel *kernel)
{
	struct lang_function *function = lang_map_find(&module->functions, kernel->entry);
	struct lang_decl *decl = lang_decl_find(module, '@', kernel->entry);

	if (function && function->kind == LANG_ORCHESTRATION) {
		lang_error(module->unit, kernel->entry_at, "%s is an Orchestration function, a kernel is an InCore one", kernel->entry);
		return;
	}
	if (!function && decl && decl->kind != LANG_DECL_KERNEL) {
		lang_error(module->unit, kernel->entry_at, "%s is a %s, no kernel", kernel->entry, lang_decl_forms[decl->kind].word);
		return;
	}
	kernel->function = function;
	kernel->decl = function ? NULL : (struct lang_kernel *)decl;
}

uint32_t lang_graph_tensor_params(const struct lang_graph_kernel *kernel)
{
	if (kernel->function)
		return kernel->function->memref_count;
	return kernel->decl ? kernel->decl->tensors.count : UINT32_MAX;
}

static struct lang_graph_param declared_param(const struct lang_kernel *kernel, const struct lang_kernel_list *list, uint32_t index)
{
	const struct lang_kernel_param *param = index < list->count ? &kernel->params[list->params[index]] : NULL;

	return param ? (struct lang_graph_param){param->name, param->dtype, param->access, param->rows, param->columns}
		     : (struct lang_graph_param){.name = NULL};
}

struct lang_graph_param lang_graph_tensor_param(const struct lang_graph_kernel *kernel, uint32_t argument)
{
	const struct lang_function *function = kernel->function;
	const struct lang_var *memref;

	if (kernel->decl)
		return declared_param(kernel->decl, &kernel->decl->tensors, argument);
	if (!function || argument >= function->memref_count)
		return (struct lang_graph_param){.name = NULL};
	memref = function->memrefs[argument];
	return (struct lang_graph_param){memref->name, memref->type.dtype, memref->access, memref->loose ? 0 : memref->rows, memref->loose ? 0 : memref->columns};
}

uint32_t lang_graph_scalar_params(const struct lang_graph_kernel *kernel)
{
	if (kernel->function)
		return kernel->function->need_count;
	return kernel->decl ? kernel->decl->scalars.count : 0;
}

struct lang_graph_param lang_graph_scalar_param(const struct lang_graph_kernel *kernel, uint32_t argument)
{
	if (kernel->decl)
		return declared_param(kernel->decl, &kernel->decl->scalars, argument);
	return (struct lang_graph_param){.name = kernel->function->needs[argument]->name, .dtype = kernel->function->needs[argument]->type.dtype};
}

int lang_graph_is_portable(const struct lang_graph_kernel *kernel)
{
	for (uint32_t i = 0; kernel->decl && i < kernel->decl->payload_count; i++)
		if (kernel->decl->payloads[i].kind == PTOWSP_PAYLOAD_PTO)
			return 1;
	return kernel->function != NULL;
}
