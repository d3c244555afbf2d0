/** Papers of the demo's Library: real ones, with what arXiv says of them, but for the abstracts, which are the demo's own words. */
import { present } from "../contract/present.ts"
import type { Told } from "../library/papers/papers.ts"
import { toldByArxiv } from "../library/papers/record.ts"

const paper = (id: string, published: string, categories: string, title: string, authors: string, gist: string): Told =>
  present(
    toldByArxiv({
      id,
      title,
      authors: authors.split(", "),
      abstract: `In this demo's own words: ${gist}`,
      categories: categories.split(" "),
      published,
      doi: null,
      journal: null,
    }),
  )

export const demoPapers: readonly Told[] = [
  paper(
    "1706.02677",
    "2017-06-08",
    "cs.CV cs.DC cs.LG",
    "Accurate, Large Minibatch SGD: Training ImageNet in 1 Hour",
    "Priya Goyal, Piotr Dollár, Ross Girshick, Pieter Noordhuis, Lukasz Wesolowski, Aapo Kyrola, Andrew Tulloch, Yangqing Jia, Kaiming He",
    "with the learning rate scaled to the batch and warmed up gradually, very large batches train as well as small ones.",
  ),
  paper(
    "1706.03762",
    "2017-06-12",
    "cs.CL cs.LG",
    "Attention Is All You Need",
    "Ashish Vaswani, Noam Shazeer, Niki Parmar, Jakob Uszkoreit, Llion Jones, Aidan N. Gomez, Lukasz Kaiser, Illia Polosukhin",
    "a model for sequences that is made of attention alone, trained with a schedule that begins with a linear warm-up.",
  ),
  paper(
    "1412.6980",
    "2014-12-22",
    "cs.LG",
    "Adam: A Method for Stochastic Optimization",
    "Diederik P. Kingma, Jimmy Ba",
    "an optimiser that scales each step by running estimates of the gradient's first two moments.",
  ),
  paper(
    "1908.03265",
    "2019-08-08",
    "cs.LG cs.CL stat.ML",
    "On the Variance of the Adaptive Learning Rate and Beyond",
    "Liyuan Liu, Haoming Jiang, Pengcheng He, Weizhu Chen, Xiaodong Liu, Jianfeng Gao, Jiawei Han",
    "warm-up helps adaptive optimisers because their step is too uncertain at first; correcting for that replaces it.",
  ),
  paper(
    "1211.5063",
    "2012-11-21",
    "cs.LG",
    "On the difficulty of training Recurrent Neural Networks",
    "Razvan Pascanu, Tomas Mikolov, Yoshua Bengio",
    "why gradients through time vanish or explode, and clipping their norm as a remedy for the second.",
  ),
  paper(
    "2002.04745",
    "2020-02-12",
    "cs.LG cs.CL stat.ML",
    "On Layer Normalization in the Transformer Architecture",
    "Ruibin Xiong, Yunchang Yang, Di He, Kai Zheng, Shuxin Zheng, Chen Xing, Huishuai Zhang, Yanyan Lan, Liwei Wang, Tie-Yan Liu",
    "with normalisation placed inside the residual blocks, a transformer trains without warm-up.",
  ),
  paper(
    "1711.05101",
    "2017-11-14",
    "cs.LG cs.NE math.OC",
    "Decoupled Weight Decay Regularization",
    "Ilya Loshchilov, Frank Hutter",
    "weight decay and L2 regularisation differ for adaptive optimisers; applying the decay to the weights themselves generalises better.",
  ),
  paper(
    "2001.08361",
    "2020-01-23",
    "cs.LG stat.ML",
    "Scaling Laws for Neural Language Models",
    "Jared Kaplan, Sam McCandlish, Tom Henighan, Tom B. Brown, Benjamin Chess, Rewon Child, Scott Gray, Alec Radford, Jeffrey Wu, Dario Amodei",
    "the loss of language models falls as a power of their size, of the data, and of the computation spent.",
  ),
  paper(
    "hep-th/9711200",
    "1997-11-27",
    "hep-th",
    "The Large N Limit of Superconformal Field Theories and Supergravity",
    "Juan M. Maldacena",
    "some field theories in their large N limit are equivalent to gravity in a space of one more dimension.",
  ),
]
